@NullMarked
package fleet.tower.lock.queue;

import org.jspecify.annotations.NullMarked;
