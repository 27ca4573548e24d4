/** What a home on this host is made of: the adapters put together, once for a service and anew for every command. */
@NullMarked
package fleet.tower.home;

import org.jspecify.annotations.NullMarked;
