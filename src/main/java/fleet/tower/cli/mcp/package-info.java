/** The command that speaks the Model Context Protocol, and the configuration of its clients. */
@NullMarked
package fleet.tower.cli.mcp;

import org.jspecify.annotations.NullMarked;
