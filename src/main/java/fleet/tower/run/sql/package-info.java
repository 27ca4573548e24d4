/** Runs in a database. */
@NullMarked
package fleet.tower.run.sql;

import org.jspecify.annotations.NullMarked;
