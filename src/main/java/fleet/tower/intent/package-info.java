/** What somebody wants done to a real system, declared: parameters, the lock to do it under, the steps, and how to undo them. */
@NullMarked
package fleet.tower.intent;

import org.jspecify.annotations.NullMarked;
