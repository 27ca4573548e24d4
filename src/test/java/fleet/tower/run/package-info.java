/** The model of runs, the contracts of their ports, and in-memory implementations of these for tests. */
@NullMarked
package fleet.tower.run;

import org.jspecify.annotations.NullMarked;
