/** The roster as a table of the database that a fleet shares. */
@NullMarked
package fleet.tower.run.members.sql;

import org.jspecify.annotations.NullMarked;
