/** Keeps held leases alive, counts what fails, and notices when one is lost. */
@NullMarked
package fleet.tower.heartbeat;

import org.jspecify.annotations.NullMarked;
