/** Freezes over HTTP. */
@NullMarked
package fleet.tower.web.freeze;

import org.jspecify.annotations.NullMarked;
