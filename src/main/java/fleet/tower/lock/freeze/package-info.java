/** Freezes: a freeze blocks new holders of a lock name for a limited time; the current holder is unaffected. */
@NullMarked
package fleet.tower.lock.freeze;

import org.jspecify.annotations.NullMarked;
