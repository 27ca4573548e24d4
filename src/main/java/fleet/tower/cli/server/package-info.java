/** The HTTP client of the command line: calls, event streams and refusals. */
@NullMarked
package fleet.tower.cli.server;

import org.jspecify.annotations.NullMarked;
