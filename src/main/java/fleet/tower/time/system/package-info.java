/** The clocks and timers of the machine this runs on. */
@NullMarked
package fleet.tower.time.system;

import org.jspecify.annotations.NullMarked;
