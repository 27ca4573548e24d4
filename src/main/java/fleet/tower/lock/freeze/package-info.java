/** Freezes: for a while nobody new may have a name, and who has it goes on. */
@NullMarked
package fleet.tower.lock.freeze;

import org.jspecify.annotations.NullMarked;
