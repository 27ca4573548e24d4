/**
 * Messages of the Model Context Protocol in its two revisions, and what an answer needs of the connection it goes to.
 */
@NullMarked
package fleet.tower.service.mcp.wire;

import org.jspecify.annotations.NullMarked;
