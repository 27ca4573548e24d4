/** Who must see what a run would do before it begins, and what they have said. */
@NullMarked
package fleet.tower.approval;

import org.jspecify.annotations.NullMarked;
