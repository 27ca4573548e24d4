/** A lock that is held exactly as long as a command runs. */
@NullMarked
package fleet.tower.guard;

import org.jspecify.annotations.NullMarked;
