/** Who may call: callers, their roles, and the port to where their tokens are kept. */
@NullMarked
package fleet.tower.access;

import org.jspecify.annotations.NullMarked;
