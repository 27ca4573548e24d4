@NullMarked
package fleet.tower.task.sql;

import org.jspecify.annotations.NullMarked;
