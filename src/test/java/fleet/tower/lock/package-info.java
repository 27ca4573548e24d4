@NullMarked
package fleet.tower.lock;

import org.jspecify.annotations.NullMarked;
