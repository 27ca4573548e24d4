package fleet.tower.mcp;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestFiles;
import fleet.tower.service.config.TestService;
import tools.jackson.databind.JsonNode;

@DisplayName("Calls of one tool with one request id")
class ExactlyOnceTest {
  private static final int CALLS = 200;

  @Test
  @DisplayName("200 at the same time are one run, and have one result")
  void once(@TempDir Path directory) {
    Path home = ClientIntents.declare(directory.resolve("home"));
    MessageCheck check = new MessageCheck();
    try (TestService service = new TestService(home, "--tower.mcp.answer-within=10m");
        McpCaller caller = new McpCaller(service.url() + "/mcp", service.token(), check);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<JsonNode>> calls = Stream.generate(
          () -> CompletableFuture.supplyAsync(() -> call(caller), threads)).limit(CALLS).toList();
      Set<String> outcomes = calls.stream().map(CompletableFuture::join)
          .map(result -> result.at("/structuredContent/outcome").asString() + " "
              + result.at("/structuredContent/request_id").asString())
          .collect(toSet());

      assertThat(outcomes).containsExactly("succeeded once");
      assertThat(TestFiles.text(home.resolve("deployed-shop"))).isEqualTo("once\n");
    }
    assertThat(check.mistakes()).isEmpty();
  }

  private static JsonNode call(McpCaller caller) {
    try {
      return caller.callTool("deploy", Map.of("app", "shop", "tower_request_id", "once"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
