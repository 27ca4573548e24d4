/** Waking waiting threads, cancelling waits, and notices of changes that others make. */
@NullMarked
package fleet.tower.platform.wait;

import org.jspecify.annotations.NullMarked;
