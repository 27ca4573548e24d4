/** Runs in a database, and the executors of a fleet. */
@NullMarked
package fleet.tower.run.sql;

import org.jspecify.annotations.NullMarked;
