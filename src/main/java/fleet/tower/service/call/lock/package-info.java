/** Calls about locks that clients hold themselves. */
@NullMarked
package fleet.tower.service.call.lock;

import org.jspecify.annotations.NullMarked;
