/** The Model Context Protocol on stdin and stdout: on the files of a home, or relayed to a service. */
@NullMarked
package fleet.tower.service.mcp.stdio;

import org.jspecify.annotations.NullMarked;
