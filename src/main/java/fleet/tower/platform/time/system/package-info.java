/** The clocks and timers of this machine. */
@NullMarked
package fleet.tower.platform.time.system;

import org.jspecify.annotations.NullMarked;
