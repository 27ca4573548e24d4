@NullMarked
package fleet.tower.platform.list;

import org.jspecify.annotations.NullMarked;
