/** Tests of the tools. */
@NullMarked
package fleet.tower.service.mcp.tool;

import org.jspecify.annotations.NullMarked;
