/** Tests of a fleet: several services on one database, reached through a proxy that picks a host for every request. */
@NullMarked
package fleet.tower.fleet;

import org.jspecify.annotations.NullMarked;
