/** The lines of those who wait, in PostgreSQL. */
@NullMarked
package fleet.tower.lock.queue.sql;

import org.jspecify.annotations.NullMarked;
