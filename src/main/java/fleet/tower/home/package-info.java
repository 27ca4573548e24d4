/** The composition of a home's adapters on this host, once per service or command. */
@NullMarked
package fleet.tower.home;

import org.jspecify.annotations.NullMarked;
