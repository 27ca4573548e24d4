/** The stream of changes that a client of the Model Context Protocol listens to. */
@NullMarked
package fleet.tower.service.mcp.subscription;

import org.jspecify.annotations.NullMarked;
