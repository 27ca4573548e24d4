/** Waiting for a name in the order of arrival, among the threads and processes of a host. */
@NullMarked
package fleet.tower.lock.queue;

import org.jspecify.annotations.NullMarked;
