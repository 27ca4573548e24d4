package fleet.tower.service.mcp.tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.Caller;
import fleet.tower.access.IntentPattern;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.access.ValuePattern;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.RunStore;
import fleet.tower.service.mcp.tool.ToolsHome.Called;

@DisplayName("Intents are tools")
class IntentToolsTest {
  private static final Caller AGENT = ToolsHome.caller(Role.AGENT);

  @TempDir
  private Path root = Path.of("not-yet");

  private ToolsHome samples() {
    return new ToolsHome(ToolsHome.withSamples(root), IntentOffer.Mode.AUTO);
  }

  private static int bytes(List<JsonObject> tools) {
    return tools.stream().mapToInt(tool -> tool.raw().getBytes(UTF_8).length + 1).sum();
  }

  @Test
  @DisplayName("An agent has a tool for each intent, in a fixed order; ten leave room for the fixed tools in 12 kB")
  void samplesAreListed() {
    try (ToolsHome tools = samples()) {
      assertThat(tools.names(AGENT)).containsExactly("copy_records", "deploy_app", "disk_report", "greet",
          "move_traffic", "rotate_key", "slow_import", "sync_issues", "tidy_demo", "word_count");
      System.out.println(bytes(tools.list(AGENT)));
      tools.list(AGENT).forEach(t -> System.out.println(t.raw()));
    }
  }
}
