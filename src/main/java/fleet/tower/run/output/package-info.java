/** The output of runs at every host of a fleet: its copy in the database, and where it is read. */
@NullMarked
package fleet.tower.run.output;

import org.jspecify.annotations.NullMarked;
