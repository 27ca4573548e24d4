/** Tests of long runs over the Model Context Protocol. */
@NullMarked
package fleet.tower.service.mcp.task;

import org.jspecify.annotations.NullMarked;
