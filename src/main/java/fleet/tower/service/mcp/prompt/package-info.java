/** Prompts of the Model Context Protocol, and the instructions that a client gives its model at the start. */
@NullMarked
package fleet.tower.service.mcp.prompt;

import org.jspecify.annotations.NullMarked;
