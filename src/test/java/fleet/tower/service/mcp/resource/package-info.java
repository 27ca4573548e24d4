@NullMarked
package fleet.tower.service.mcp.resource;

import org.jspecify.annotations.NullMarked;
