@NullMarked
package fleet.tower.cli.mcp;

import org.jspecify.annotations.NullMarked;
