/** Processes of a fleet on a real database. */
@NullMarked
package fleet.tower.run.members;

import org.jspecify.annotations.NullMarked;
