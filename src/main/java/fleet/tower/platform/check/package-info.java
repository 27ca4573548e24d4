/** The results of health checks, and the port through which each room reports its own. */
@NullMarked
package fleet.tower.platform.check;

import org.jspecify.annotations.NullMarked;
