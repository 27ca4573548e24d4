@NullMarked
package fleet.tower.platform.disk;

import org.jspecify.annotations.NullMarked;
