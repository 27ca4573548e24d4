/** Tests of waits and streams over HTTP, and of their ends. */
@NullMarked
package fleet.tower.service.web.call;

import org.jspecify.annotations.NullMarked;
