@NullMarked
package fleet.tower.service.mcp.subscription;

import org.jspecify.annotations.NullMarked;
