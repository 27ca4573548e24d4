/** Named locks and freezes as use cases, and the port to their store. A freeze blocks new holders of a name for some time. */
@NullMarked
package fleet.tower.lock;

import org.jspecify.annotations.NullMarked;
