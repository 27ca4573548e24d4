/** The rules of leases as pure functions: who may hold one, when it ends, and how conflicts are decided. */
@NullMarked
package fleet.tower.lease;

import org.jspecify.annotations.NullMarked;
