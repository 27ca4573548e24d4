/** Who is let in over HTTP. */
@NullMarked
package fleet.tower.service.web.access;

import org.jspecify.annotations.NullMarked;
