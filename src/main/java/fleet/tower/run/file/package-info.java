/** Beats of runs from outside their executor, as writes to a file of each run. */
@NullMarked
package fleet.tower.run.file;

import org.jspecify.annotations.NullMarked;
