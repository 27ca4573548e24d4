/** The page that tells an agent how to work here: what is guarded, what can be run, and what to do when it is refused. */
@NullMarked
package fleet.tower.cli.prime;

import org.jspecify.annotations.NullMarked;
