/** The processes of steps, tested with real processes. */
@NullMarked
package fleet.tower.run.process;

import org.jspecify.annotations.NullMarked;
