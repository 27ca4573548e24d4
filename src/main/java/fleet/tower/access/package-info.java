/** Who may call: callers, their roles and what those may do, and the ports to where their tokens are kept. */
@NullMarked
package fleet.tower.access;

import org.jspecify.annotations.NullMarked;
