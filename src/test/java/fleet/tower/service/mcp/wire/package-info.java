/** Tests of the messages of the Model Context Protocol. */
@NullMarked
package fleet.tower.service.mcp.wire;

import org.jspecify.annotations.NullMarked;
