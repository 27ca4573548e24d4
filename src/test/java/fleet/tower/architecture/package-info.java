/** The rules of the house, each with something small that must break it. */
@NullMarked
package fleet.tower.architecture;

import org.jspecify.annotations.NullMarked;
