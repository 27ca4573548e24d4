/** Real processes, started, stopped, killed and left behind. */
@NullMarked
package fleet.tower.run.process;

import org.jspecify.annotations.NullMarked;
