/** Resources of the Model Context Protocol: what a client reads by its address. */
@NullMarked
package fleet.tower.service.mcp.resource;

import org.jspecify.annotations.NullMarked;
