/** Waits and streams over HTTP, and what ends them. */
@NullMarked
package fleet.tower.service.web.call;

import org.jspecify.annotations.NullMarked;
