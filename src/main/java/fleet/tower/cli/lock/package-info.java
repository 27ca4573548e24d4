/** Commands that take, keep, release and show locks. */
@NullMarked
package fleet.tower.cli.lock;

import org.jspecify.annotations.NullMarked;
