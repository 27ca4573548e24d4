/** Tools that send, receive and settle messages. */
@NullMarked
package fleet.tower.service.mcp.tool.mailbox;

import org.jspecify.annotations.NullMarked;
