/** Tests of authentication and authorization over HTTP. */
@NullMarked
package fleet.tower.service.web.access;

import org.jspecify.annotations.NullMarked;
