/** Golden files: reviewed outputs that later outputs must equal. */
@NullMarked
package fleet.tower.golden;

import org.jspecify.annotations.NullMarked;
