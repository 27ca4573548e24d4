@NullMarked
package fleet.tower.platform.json;

import org.jspecify.annotations.NullMarked;
