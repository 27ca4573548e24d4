/** Long runs over the Model Context Protocol: waits for their ends, progress, results and tasks. */
@NullMarked
package fleet.tower.service.mcp.task;

import org.jspecify.annotations.NullMarked;
