package fleet.tower.service.mcp.tool;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.wire.Exchange;

/** A tool that a model may call. */
public interface Tool {
  String name();

  /** Its entry in {@code tools/list}: name, title, description, schemas and annotations. */
  JsonWriter definition();

  /** Calls it. Arguments that its input schema does not accept give a result that is an error. */
  ToolResult call(JsonObject arguments, Exchange exchange);
}
