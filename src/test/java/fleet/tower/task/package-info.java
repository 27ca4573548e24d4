@NullMarked
package fleet.tower.task;

import org.jspecify.annotations.NullMarked;
