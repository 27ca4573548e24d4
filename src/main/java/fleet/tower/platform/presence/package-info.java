/** Which processes live: each shows that it does, and can ask about the others. */
@NullMarked
package fleet.tower.platform.presence;

import org.jspecify.annotations.NullMarked;
