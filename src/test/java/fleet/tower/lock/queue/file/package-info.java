@NullMarked
package fleet.tower.lock.queue.file;

import org.jspecify.annotations.NullMarked;
