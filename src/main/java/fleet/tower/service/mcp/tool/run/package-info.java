/** Tools that plan, show, wait for, cancel and list runs. */
@NullMarked
package fleet.tower.service.mcp.tool.run;

import org.jspecify.annotations.NullMarked;
