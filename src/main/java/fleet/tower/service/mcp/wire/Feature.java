package fleet.tower.service.mcp.wire;

import java.util.Map;

import fleet.tower.platform.json.JsonWriter;

/** A group of methods, and the capabilities that they imply. */
public interface Feature {

  /** The entries of the server's capabilities, such as {@code "tools":{"listChanged":true}}. */
  JsonWriter capabilities(Revision revision);

  /** The methods by name. */
  Map<String, Method> methods(Revision revision);

  /** A method. */
  @FunctionalInterface
  interface Method {
    /**
     * The members of the result; {@code resultType} is {@code complete} unless they name another.
     *
     * @throws ProtocolError to answer with an error
     */
    JsonWriter call(Exchange exchange);
  }
}
