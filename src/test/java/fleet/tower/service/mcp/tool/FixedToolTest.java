package fleet.tower.service.mcp.tool;

import static fleet.tower.service.mcp.tool.FixedTools.ANN;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.json.JsonObject;

@DisplayName("The tools that do not depend on intents")
class FixedToolTest {
  private static final List<String> FIXED = List.of("explain_lock", "list_locks", "acquire_lock", "renew_lock",
      "release_lock", "claim_task", "renew_task", "close_task", "send_message", "receive_message", "settle_message");

  @Test
  @DisplayName("The eleven about locks, tasks and messages take at most 5 kB of the list")
  void size(@TempDir Path root) {
    try (FixedTools tools = new FixedTools(ToolsHome.withSamples(root))) {
      assertThat(tools.names(ANN)).containsSubsequence(FIXED);
      assertThat(tools.list(ANN).stream().filter(it -> FIXED.contains(it.text("name").orElse("")))
          .mapToInt(it -> it.raw().getBytes(StandardCharsets.UTF_8).length + 1).sum()).isLessThan(5_000);
    }
  }

  @Test
  @DisplayName("They refuse unknown arguments; every argument has a type, values or takes any JSON; every result has an outcome")
  void schemas(@TempDir Path root) {
    try (FixedTools tools = new FixedTools(ToolsHome.withSamples(root))) {
      tools.list(ANN).stream().filter(it -> FIXED.contains(it.text("name").orElse(""))).forEach(tool -> {
        assertThat(tool.members().keySet()).containsExactly("name", "description", "inputSchema",
            "outputSchema", "annotations");
        assertThat(tools.call(ANN, tool.text("name").orElseThrow(), "{\"nope\":1}").error())
            .isEqualTo("invalid_params");
        JsonObject input = tool.object("inputSchema").orElseThrow();
        JsonObject properties = input.object("properties").orElseThrow();
        assertThat(properties.members().keySet()).containsAll(input.texts("required"));
        properties.members().keySet().stream().filter(name -> !name.equals("body"))
            .forEach(name -> assertThat(properties.object(name)
                .flatMap(it -> Optional.ofNullable(it.get("type")).or(() -> Optional.ofNullable(it.get("enum")))))
                .isPresent());
        assertThat(tool.object("outputSchema").orElseThrow().texts("required")).containsExactly("outcome");
      });
    }
  }
}
