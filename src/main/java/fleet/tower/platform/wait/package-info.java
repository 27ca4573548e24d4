/** How waiting threads are woken up, and how a wait is cancelled. */
@NullMarked
package fleet.tower.platform.wait;

import org.jspecify.annotations.NullMarked;
