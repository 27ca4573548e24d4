/** Tests of the operations without a door. */
@NullMarked
package fleet.tower.operation;

import org.jspecify.annotations.NullMarked;
