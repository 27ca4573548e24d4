@NullMarked
package fleet.tower.lease;

import org.jspecify.annotations.NullMarked;
