/** The Model Context Protocol over HTTP: its endpoint, its streams, and its OAuth metadata. */
@NullMarked
package fleet.tower.service.mcp.http;

import org.jspecify.annotations.NullMarked;
