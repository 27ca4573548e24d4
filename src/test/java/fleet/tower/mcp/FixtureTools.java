package fleet.tower.mcp;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import fleet.tower.access.Caller;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.config.TestService;
import fleet.tower.service.mcp.tool.Tool;
import fleet.tower.service.mcp.tool.ToolBox;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * The tools that the conformance suite calls and that no intent can be; the others are {@link FixtureIntents intents}.
 */
final class FixtureTools implements ToolBox {
  /** An image of one pixel. */
  static final String PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJR"
      + "U5ErkJggg==";
  /** A sound without samples. */
  private static final String WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

  private final Path home;
  private final AtomicInteger changes = new AtomicInteger();
  private final List<Tool> fixtures;

  FixtureTools(Path home) {
    this.home = home;
    fixtures = List.of(
        content("test_image_content", image()),
        content("test_audio_content", "{\"type\":\"audio\",\"data\":\"" + WAV + "\",\"mimeType\":\"audio/wav\"}"),
        content("test_embedded_resource", resource("test://embedded-resource", "text/plain", "An embedded resource.")),
        content("test_multiple_content_types", "{\"type\":\"text\",\"text\":\"Multiple content types:\"}", image(),
            resource("test://mixed-content-resource", "application/json", "{\"test\":\"data\",\"value\":123}")),
        fixture("greet", "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}",
            (arguments, _) -> text("Hello, " + arguments.text("name").orElse("nobody") + "!")),
        // The suite waits for these two for half a second, which a run may exceed on a busy machine.
        content("test_streaming_elicitation", "{\"type\":\"text\",\"text\":\"No question.\"}"),
        content("test_logging_tool", "{\"type\":\"text\",\"text\":\"No log.\"}"),
        fixture("test_missing_capability", "{\"type\":\"object\"}", (_, _) -> {
          throw FixtureFeature.missing("sampling", JsonWriter.line());
        }),
        fixture("test_trigger_tool_change", "{\"type\":\"object\"}", (_, _) -> addIntent()),
        fixture("json_schema_2020_12_tool", SCHEMA_2020_12, (_, _) -> text("not needed")));
  }

  @Override
  public List<Tool> tools(Caller caller) {
    return fixtures;
  }

  private ToolResult addIntent() {
    TestService.declare(home, "added-" + changes.incrementAndGet(), """
        mode: observe
        steps:
          - name: nothing
            run: ["true"]
        """);
    return text("added an intent");
  }

  private static Tool content(String name, String... blocks) {
    return fixture(name, "{\"type\":\"object\",\"additionalProperties\":false}",
        (_, _) -> new ToolResult.Complete(false, List.of(blocks), null));
  }

  private static ToolResult text(String text) {
    return new ToolResult.Complete(false, List.of(JsonWriter.line().put("type", "text").put("text", text).end()), null);
  }

  private static String image() {
    return "{\"type\":\"image\",\"data\":\"" + PNG + "\",\"mimeType\":\"image/png\"}";
  }

  private static String resource(String uri, String type, String text) {
    return JsonWriter.line().put("type", "resource")
        .put("resource", JsonWriter.line().put("uri", uri).put("mimeType", type).put("text", text)).end();
  }

  /** The work of a fixture. */
  private interface Body {
    ToolResult call(JsonObject arguments, Exchange exchange);
  }

  private static Tool fixture(String name, String inputSchema, Body body) {
    return new Tool() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public JsonWriter definition() {
        return JsonWriter.line().put("name", name).put("description", "A fixture of the conformance suite.")
            .raw("inputSchema", inputSchema);
      }

      @Override
      public ToolResult call(JsonObject arguments, Exchange exchange) {
        return body.call(arguments, exchange);
      }
    };
  }

  private static final String SCHEMA_2020_12 = """
      {"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",\
      "$defs":{"address":{"$anchor":"addressDef","type":"object",\
      "properties":{"street":{"type":"string"},"city":{"type":"string"}}}},\
      "properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},\
      "contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},\
      "allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],\
      "if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},\
      "then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}""";
}
