package fleet.tower.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.OneHost;
import fleet.tower.harness.Await;
import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestRelease;
import fleet.tower.service.config.TestService;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("The official Java client, which speaks the older revision")
class JavaClientTest {
  private final Path home;

  JavaClientTest(@TempDir Path directory) {
    home = ClientIntents.declare(directory.resolve("home"));
  }

  @Test
  @DisplayName("Over HTTP: lists, runs once, is refused, waits and reads")
  void http() {
    try (TestService service = new TestService(home)) {
      use(HttpClientStreamableHttpTransport.builder(service.url())
          .addHttpRequestCustomizer(
              (request, _, _, _, _) -> request.header("Authorization", "Bearer " + service.token()))
          .build());
    }
  }

  @OneHost("the command uses one home")
  @Test
  @DisplayName("Over stdio: lists, runs once, is refused, waits and reads")
  void stdio() {
    List<String> command = TestRelease.command("mcp", List.of("-Xmx96m"), "mcp");
    use(new StdioClientTransport(ServerParameters.builder(command.getFirst()).args(command.subList(1, command.size()))
        .env(Map.of("TOWER_HOME", home.toString(), "TOWER_LOCK_INSECURE_DIRECTORY", "true", "PATH",
            System.getenv("PATH")))
        .build(), McpJsonDefaults.getMapper()));
  }

  private void use(McpClientTransport transport) {
    try (McpSyncClient client = McpClient.sync(transport).requestTimeout(Duration.ofMinutes(2))
        .initializationTimeout(Duration.ofMinutes(2)).build()) {
      assertThat(client.initialize().protocolVersion()).isEqualTo("2025-11-25");
      assertThat(client.getServerInstructions()).contains("tower_request_id");
      assertThat(client.listTools().tools()).extracting(McpSchema.Tool::name).contains("deploy", "say", "wait_run");
      assertThat(client.listPrompts().prompts()).extracting(McpSchema.Prompt::name).contains("change_safely");

      for (int i = 0; i < 2; i++) {
        CallToolResult deployed = call(client, "deploy", Map.of("app", "shop", "tower_request_id", "j-1"));
        assertThat(deployed.isError()).as("%s", deployed).isFalse();
        assertThat(structured(deployed).path("outcome").asString()).isEqualTo("succeeded");
      }
      assertThat(TestFiles.text(home.resolve("deployed-shop"))).isEqualTo("j-1\n");

      CallToolResult bad = call(client, "deploy", Map.of("app", "shop", "environment", "stagin"));
      assertThat(bad.isError()).isTrue();
      assertThat(structured(bad).at("/next_actions/0/arguments/environment").asString()).isEqualTo("staging");

      assertThat(client.readResource(McpSchema.ReadResourceRequest.builder("tower://runs/j-1/log").build()).contents())
          .hasSize(1);
      ClientIntents.letGo(home, "blog");
      assertThat(structured(call(client, "migrate", Map.of("app", "blog", "tower_request_id", "j-2"))).path("outcome")
          .asString()).isEqualTo("succeeded");
      assertThat(structured(call(client, "wait_run", Map.of("request_id", "j-2"))).path("status").asString())
          .isEqualTo("succeeded");
    }
    Await.until("the output is complete", () -> TestFiles.textIfAny(home.resolve("done-blog")).equals("j-2\n"));
  }

  private static CallToolResult call(McpSyncClient client, String tool, Map<String, Object> arguments) {
    return client.callTool(McpSchema.CallToolRequest.builder(tool).arguments(arguments).build());
  }

  private static JsonNode structured(CallToolResult result) {
    return JsonMapper.shared().valueToTree(result.structuredContent());
  }
}
