@NullMarked
package fleet.tower.worker;

import org.jspecify.annotations.NullMarked;
