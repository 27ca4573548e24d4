/** The command that runs another one under a lock. */
@NullMarked
package fleet.tower.cli.guard;

import org.jspecify.annotations.NullMarked;
