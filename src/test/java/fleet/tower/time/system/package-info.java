@NullMarked
package fleet.tower.time.system;

import org.jspecify.annotations.NullMarked;
