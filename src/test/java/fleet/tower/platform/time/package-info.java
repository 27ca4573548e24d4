@NullMarked
package fleet.tower.platform.time;

import org.jspecify.annotations.NullMarked;
