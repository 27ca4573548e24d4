@NullMarked
package fleet.tower.audit;

import org.jspecify.annotations.NullMarked;
