/** Keeps held leases alive, counts what fails, and notices when one is lost. */
@NullMarked
package fleet.tower.lease.keepalive;

import org.jspecify.annotations.NullMarked;
