/** Locks, freezes and wait queues in PostgreSQL, for any number of hosts. */
@NullMarked
package fleet.tower.lock.sql;

import org.jspecify.annotations.NullMarked;
