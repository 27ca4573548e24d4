/** Many clients at once, honest and hostile ones, of services that are killed, stopped and cut off. */
@NullMarked
package fleet.tower.hammer;

import org.jspecify.annotations.NullMarked;
