/** Processes of a fleet on a real database. */
@NullMarked
package fleet.tower.roster;

import org.jspecify.annotations.NullMarked;
