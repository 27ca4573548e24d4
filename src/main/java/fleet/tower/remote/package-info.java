/** A service as its clients reach it: calls over HTTP, event streams and refusals. */
@NullMarked
package fleet.tower.remote;

import org.jspecify.annotations.NullMarked;
