/** The tables of tasks in a database. */
@NullMarked
package fleet.tower.task.sql;

import org.jspecify.annotations.NullMarked;
