/** The door for agents: a server of the Model Context Protocol. */
@NullMarked
package fleet.tower.service.mcp;

import org.jspecify.annotations.NullMarked;
