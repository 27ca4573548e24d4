/** Tools: one for each intent that the caller may run, and fixed ones for runs, locks, tasks and messages. */
@NullMarked
package fleet.tower.service.mcp.tool;

import org.jspecify.annotations.NullMarked;
