/** What a run is, how it is told, and the ports to where runs are kept and to the processes that do the work. */
@NullMarked
package fleet.tower.run;

import org.jspecify.annotations.NullMarked;
