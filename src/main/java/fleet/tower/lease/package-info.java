/** The rules of a lease, pure: who may have it, when it is over, and what is decided when two want it. */
@NullMarked
package fleet.tower.lease;

import org.jspecify.annotations.NullMarked;
