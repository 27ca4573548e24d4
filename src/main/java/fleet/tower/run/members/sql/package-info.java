/** The members of a fleet in its database. */
@NullMarked
package fleet.tower.run.members.sql;

import org.jspecify.annotations.NullMarked;
