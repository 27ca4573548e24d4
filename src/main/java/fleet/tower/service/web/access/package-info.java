/** Authentication and authorization of HTTP calls, before anything else; refusals are audited. */
@NullMarked
package fleet.tower.service.web.access;

import org.jspecify.annotations.NullMarked;
