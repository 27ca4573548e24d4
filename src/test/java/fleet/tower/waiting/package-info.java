@NullMarked
package fleet.tower.waiting;

import org.jspecify.annotations.NullMarked;
