@NullMarked
package fleet.tower.approval;

import org.jspecify.annotations.NullMarked;
