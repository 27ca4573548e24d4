@NullMarked
package fleet.tower.service.mcp.prompt;

import org.jspecify.annotations.NullMarked;
