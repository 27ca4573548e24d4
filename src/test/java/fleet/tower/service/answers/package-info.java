/** Tests that answers can be followed. */
@NullMarked
package fleet.tower.service.answers;

import org.jspecify.annotations.NullMarked;
