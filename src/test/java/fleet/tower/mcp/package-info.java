/** Proofs of the MCP server with programs of others: the conformance suite, two clients and the published schemas. */
@NullMarked
package fleet.tower.mcp;

import org.jspecify.annotations.NullMarked;
