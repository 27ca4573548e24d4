/** Commands that take, keep, release, guard with and show locks, and those of other tools. */
@NullMarked
package fleet.tower.cli.lock;

import org.jspecify.annotations.NullMarked;
