/** The clocks and timers of the machine this runs on. */
@NullMarked
package fleet.tower.platform.time.system;

import org.jspecify.annotations.NullMarked;
