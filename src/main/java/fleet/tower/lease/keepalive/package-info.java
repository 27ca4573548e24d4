/** Keeps leases alive: renews locks, claims and messages, counts the failures, and notices a loss. */
@NullMarked
package fleet.tower.lease.keepalive;

import org.jspecify.annotations.NullMarked;
