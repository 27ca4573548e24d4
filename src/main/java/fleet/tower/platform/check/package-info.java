/** Findings about the health of a part of a home, and the port through which each part reports them. */
@NullMarked
package fleet.tower.platform.check;

import org.jspecify.annotations.NullMarked;
