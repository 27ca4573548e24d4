/** Tests of the Model Context Protocol over HTTP. */
@NullMarked
package fleet.tower.service.mcp.http;

import org.jspecify.annotations.NullMarked;
