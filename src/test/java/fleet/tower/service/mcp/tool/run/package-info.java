/** Tests of the tools about runs. */
@NullMarked
package fleet.tower.service.mcp.tool.run;

import org.jspecify.annotations.NullMarked;
