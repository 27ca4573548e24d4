/** Intents: declared operations on a real system, with their parameters, lock, steps and rollback. */
@NullMarked
package fleet.tower.intent;

import org.jspecify.annotations.NullMarked;
