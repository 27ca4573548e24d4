/** Wait queues in PostgreSQL. */
@NullMarked
package fleet.tower.lock.queue.sql;

import org.jspecify.annotations.NullMarked;
