@NullMarked
package fleet.tower.task.worker;

import org.jspecify.annotations.NullMarked;
