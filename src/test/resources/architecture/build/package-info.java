/** Planted. */
@NullMarked
package fleet.tower.planted;

import org.jspecify.annotations.NullMarked;
