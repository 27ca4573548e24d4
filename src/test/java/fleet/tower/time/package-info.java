@NullMarked
package fleet.tower.time;

import org.jspecify.annotations.NullMarked;
