/** Guarded commands as processes of this machine: a group of their own, with the caller's terminal. */
@NullMarked
package fleet.tower.guard.process;

import org.jspecify.annotations.NullMarked;
