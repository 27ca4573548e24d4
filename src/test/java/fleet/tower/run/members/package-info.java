/** Members of a fleet in a real database. */
@NullMarked
package fleet.tower.run.members;

import org.jspecify.annotations.NullMarked;
