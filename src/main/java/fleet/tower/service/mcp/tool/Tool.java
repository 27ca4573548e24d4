package fleet.tower.service.mcp.tool;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.wire.Exchange;

/** A tool that a model may call. */
public interface Tool {
  String name();

  /** Its entry in {@code tools/list}: name, title, description, schemas and annotations. */
  JsonWriter definition();

  /**
   * Checks arguments before a call, by its input schema.
   *
   * @throws InvalidArguments if it does not accept them
   */
  default void check(JsonObject arguments) {
    ArgumentCheck.of(definition()).require(arguments);
  }

  /** Calls it, with arguments that it accepts. */
  ToolResult call(JsonObject arguments, Exchange exchange);
}
