@NullMarked
package fleet.tower.service.mcp.stdio;

import org.jspecify.annotations.NullMarked;
