/** Waiting for a name in the order of arrival, among the threads and processes of a host. */
@NullMarked
package fleet.tower.waiting;

import org.jspecify.annotations.NullMarked;
