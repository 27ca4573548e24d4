package fleet.tower.service.mcp.resource;

import java.util.List;
import java.util.Optional;

import fleet.tower.access.Caller;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.wire.Exchange;

/** Resources of one kind of address. */
public interface ResourceSource {

  /** The entries of {@code resources/list}, in a fixed order; the same for every connection of a caller. */
  List<Entry> list(Caller caller);

  /** The entries of {@code resources/templates/list}. */
  List<JsonWriter> templates();

  /**
   * Reads a resource.
   *
   * @return empty if the address is not of this kind
   *
   * @throws fleet.tower.service.mcp.wire.ProtocolError if the address is of this kind, and there is no such resource
   */
  Optional<ResourceContents> read(String uri, Exchange exchange);

  /**
   * A listed resource.
   *
   * @param definition its members without the address
   */
  record Entry(String uri, JsonWriter definition) {
    JsonWriter json() {
      return JsonWriter.line().put("uri", uri).members(definition);
    }
  }
}
