/** Waking waiting threads and cancelling waits. */
@NullMarked
package fleet.tower.platform.wait;

import org.jspecify.annotations.NullMarked;
