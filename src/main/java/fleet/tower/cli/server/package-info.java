/** A service as the command line calls it over HTTP: calls, streams of events, and what it refuses. */
@NullMarked
package fleet.tower.cli.server;

import org.jspecify.annotations.NullMarked;
