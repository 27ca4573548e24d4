/** Wait queues: waiting for a lock name in order of arrival. */
@NullMarked
package fleet.tower.lock.queue;

import org.jspecify.annotations.NullMarked;
