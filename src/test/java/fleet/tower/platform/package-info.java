@NullMarked
package fleet.tower.platform;

import org.jspecify.annotations.NullMarked;
