@NullMarked
package fleet.tower.home.move;

import org.jspecify.annotations.NullMarked;
