/** Named locks as use cases, and the port to the place where they are kept. */
@NullMarked
package fleet.tower.lock;

import org.jspecify.annotations.NullMarked;
