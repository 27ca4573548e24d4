package fleet.tower.service.mcp.wire;

import java.util.Optional;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;

/**
 * A request of a client.
 *
 * @param id its JSON-RPC id as JSON
 * @param params empty if it has none
 */
public record Request(Revision revision, String id, String method, JsonObject params) {
  /** The member of {@code _meta} with what the client supports. */
  static final String CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

  private Optional<JsonObject> meta() {
    return params.object("_meta");
  }

  /** The token under which the client requests notifications of progress, as JSON; empty if it requests none. */
  public Optional<String> progressToken() {
    return meta().flatMap(meta -> Optional.<JsonValue>ofNullable(meta.get("progressToken")).map(meta::raw));
  }

  /** Whether the client declared an extension in this request. */
  public boolean declares(String extension) {
    return meta().flatMap(meta -> meta.object(CAPABILITIES)).flatMap(it -> it.object("extensions"))
        .filter(extensions -> extensions.object(extension).isPresent()).isPresent();
  }
}
