/** Wait queues as ticket files in the lock directory, and the watches that wake the next waiter. */
@NullMarked
package fleet.tower.lock.queue.file;

import org.jspecify.annotations.NullMarked;
