@NullMarked
package fleet.tower.disk;

import org.jspecify.annotations.NullMarked;
