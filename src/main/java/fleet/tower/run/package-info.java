/** Runs: their model, their store, and the processes of their steps. */
@NullMarked
package fleet.tower.run;

import org.jspecify.annotations.NullMarked;
