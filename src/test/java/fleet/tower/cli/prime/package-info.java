/** Tests of the page for agents, and of the search for guarded scripts. */
@NullMarked
package fleet.tower.cli.prime;

import org.jspecify.annotations.NullMarked;
