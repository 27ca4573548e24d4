@NullMarked
package fleet.tower.guard.process;

import org.jspecify.annotations.NullMarked;
