@NullMarked
package fleet.tower.json;

import org.jspecify.annotations.NullMarked;
