/** Tools about locks that clients hold themselves. */
@NullMarked
package fleet.tower.service.mcp.tool.lock;

import org.jspecify.annotations.NullMarked;
