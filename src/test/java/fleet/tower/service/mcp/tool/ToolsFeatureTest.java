package fleet.tower.service.mcp.tool;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.access.Role;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.tool.ToolsHome.Called;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.Revision;
import fleet.tower.service.mcp.wire.TestExchange;

@DisplayName("Tools are listed and called in both revisions")
class ToolsFeatureTest {
  private static final Caller AGENT = ToolsHome.caller(Role.AGENT);

  @TempDir
  private Path root = Path.of("not-yet");

  private ToolsHome home(Tool... fixed) {
    return new ToolsHome(ToolsHome.declare(root, "greet", "Greet", """
        mode: observe
        steps: [{ name: one, run: ["true"] }]
        """), IntentOffer.Mode.AUTO, _ -> List.of(fixed));
  }

  /** A fixed tool. */
  private record Fixed(java.util.function.Function<Exchange, ToolResult> work) implements Tool {
    @Override
    public String name() {
      return "fixed";
    }

    @Override
    public JsonWriter definition() {
      return JsonWriter.line().put("name", name()).raw("inputSchema", """
          {"type":"object","properties":{"limit":{"type":"integer","minimum":1}},"additionalProperties":false}""");
    }

    @Override
    public ToolResult call(JsonObject arguments, Exchange exchange) {
      return work.apply(exchange);
    }
  }

  @Test
  @DisplayName("The list may be cached for a minute by its caller; an older client gets it without that")
  void listed() {
    try (ToolsHome tools = home(new Fixed(_ -> new ToolResult.Complete(false, List.of(), null)))) {
      JsonObject modern = tools.answer(AGENT, Revision.V2026_07_28, "tools/list", "{}");
      JsonObject legacy = tools.answer(AGENT, Revision.V2025_11_25, "tools/list", "{}");

      assertThat(ToolsHome.names(modern.objects("tools"))).contains("greet", "fixed");
      assertThat(modern.raw()).endsWith("],\"ttlMs\":60000,\"cacheScope\":\"private\"}");
      assertThat(legacy.members().keySet()).containsExactly("tools");
      assertThat(tools.feature.capabilities(Revision.V2026_07_28).end())
          .isEqualTo("{\"tools\":{\"listChanged\":true}}");
      assertThat(tools.feature.capabilities(Revision.V2025_11_25).end()).isEqualTo("{\"tools\":{}}");
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "tools/list | {\"cursor\":\"x\"} | there is no such cursor; the whole list is returned without one",
      "tools/call | {} | name must be a string",
      "tools/call | {\"name\":\"gret\"} | there is no tool 'gret'; did you mean greet?",
      "tools/call | {\"name\":\"tower_unlock\"} | there is no tool 'tower_unlock'",
      "tools/call | {\"name\":\"greet\",\"arguments\":[]} | arguments must be an object",
      "tools/call | {\"name\":\"greet\",\"arguments\":null} | arguments must be an object"})
  @DisplayName("A call that names no tool of the caller, or is malformed, is an error of the protocol")
  void protocolErrors(String method, String params, String message) {
    try (ToolsHome tools = home()) {
      assertThatThrownBy(() -> tools.answer(AGENT, Revision.V2026_07_28, method, params))
          .isInstanceOfSatisfying(ProtocolError.class,
              error -> assertThat(error.code()).isEqualTo(ProtocolError.INVALID_PARAMS))
          .hasMessage(message);
      assertThatThrownBy(() -> tools.call(ToolsHome.caller(Role.VIEWER), "greet", "{}"))
          .isInstanceOf(ProtocolError.class).hasMessage("there is no tool 'greet'");
    }
  }

  @Test
  @DisplayName("An exception of a tool is a refusal; a run that continues is a task")
  void refusals() {
    try (ToolsHome tools = home(new Fixed(exchange -> {
      exchange.caller().require(Role.OPERATOR, "do it");
      throw new StorageException("disk full");
    }))) {
      TestExchange exchange = ToolsHome.exchange(AGENT, Revision.V2026_07_28, "tools/call", "{\"name\":\"fixed\"}");
      JsonObject forbidden = ToolsHome
          .json(requireNonNull(tools.feature.methods(Revision.V2026_07_28).get("tools/call")).call(exchange).end());

      assertThat(new Called(forbidden).error()).isEqualTo("forbidden");
      assertThat(exchange.refusals()).containsExactly(Forbidden.Reason.ROLE_TOO_LOW.toString());
      assertThat(tools.call(ToolsHome.caller(Role.OPERATOR), "fixed", "{}").error()).isEqualTo("storage_unavailable");
      assertThat(tools.call("fixed", "{\"limit\":0}").text())
          .startsWith("Refused (invalid_params): limit must be at least 1.");
    }
    try (ToolsHome tools = home(new Fixed(_ -> new ToolResult.Begun(JsonWriter.line().put("taskId", "r-1"))))) {
      assertThat(tools.answer(AGENT, Revision.V2026_07_28, "tools/call", "{\"name\":\"fixed\"}").raw())
          .isEqualTo("{\"resultType\":\"task\",\"taskId\":\"r-1\"}");
    }
  }
}
