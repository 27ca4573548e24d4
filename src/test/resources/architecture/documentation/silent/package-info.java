@NullMarked
package fleet.tower.silent;

import org.jspecify.annotations.NullMarked;

