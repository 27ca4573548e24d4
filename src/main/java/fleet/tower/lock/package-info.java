/** Named locks as use cases, and the port to their store. */
@NullMarked
package fleet.tower.lock;

import org.jspecify.annotations.NullMarked;
