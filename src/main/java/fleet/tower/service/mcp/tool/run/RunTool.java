package fleet.tower.service.mcp.tool.run;

import static java.util.Objects.requireNonNull;

import fleet.tower.access.Role;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.tool.Tool;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * A tool about runs.
 *
 * @param needed the role that may call it
 * @param described its entry in the list of tools as JSON
 */
record RunTool(String name, Role needed, String described, Work work) implements Tool {
  RunTool {
    requireNonNull(name);
    requireNonNull(needed);
    requireNonNull(described);
    requireNonNull(work);
  }

  /** What a tool does. */
  @FunctionalInterface
  interface Work {
    ToolResult call(JsonObject arguments, Exchange exchange);
  }

  @Override
  public JsonWriter definition() {
    JsonWriter definition = JsonWriter.line();
    try {
      JsonObject json = JsonReader.readObject(described);
      json.members().forEach((member, value) -> definition.raw(member, json.raw(value)));
      return definition;
    } catch (JsonException e) {
      throw new IllegalStateException("the definition of " + name + " is not JSON: " + e.getMessage(), e);
    }
  }

  @Override
  public ToolResult call(JsonObject arguments, Exchange exchange) {
    return work.call(arguments, exchange);
  }
}
