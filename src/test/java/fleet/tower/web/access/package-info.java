/** Who is let in over HTTP. */
@NullMarked
package fleet.tower.web.access;

import org.jspecify.annotations.NullMarked;
