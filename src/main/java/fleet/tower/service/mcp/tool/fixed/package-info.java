/** The tools that every service has: for runs, locks, tasks and mailboxes. */
@NullMarked
package fleet.tower.service.mcp.tool.fixed;

import org.jspecify.annotations.NullMarked;
