/** Tools about claims of tasks. */
@NullMarked
package fleet.tower.service.mcp.tool.task;

import org.jspecify.annotations.NullMarked;
