/** The open connections of the service: which of them have shown a valid token, and which are closed to make room. */
@NullMarked
package fleet.tower.web.connection;

import org.jspecify.annotations.NullMarked;
