/** Tests of the tools about runs. */
@NullMarked
package fleet.tower.service.mcp.tool.fixed;

import org.jspecify.annotations.NullMarked;
