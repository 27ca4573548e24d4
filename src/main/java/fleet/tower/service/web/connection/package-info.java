/** The open connections of the service: which have a valid token, and which are closed to make room. */
@NullMarked
package fleet.tower.service.web.connection;

import org.jspecify.annotations.NullMarked;
