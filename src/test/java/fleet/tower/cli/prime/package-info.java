/** The page for agents, and how guarded scripts are found. */
@NullMarked
package fleet.tower.cli.prime;

import org.jspecify.annotations.NullMarked;
