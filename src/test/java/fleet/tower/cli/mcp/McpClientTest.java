package fleet.tower.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The configuration of a client, with the entry of the Tower Executor")
class McpClientTest {
  private static final ServerEntry COMMAND = ServerEntry.ofCommand(List.of("tower", "mcp", "--actor", "a"));
  private static final ServerEntry SERVICE = ServerEntry.ofService("https://tower.example.org/mcp");

  @Test
  @DisplayName("It has the form that the client reads")
  void forms() {
    assertThat(McpClient.CLAUDE.configuration(COMMAND)).isEqualTo("""
        {
          "mcpServers": {
            "tower": {
              "command": "tower",
              "args": ["mcp", "--actor", "a"]
            }
          }
        }
        """);
    assertThat(McpClient.CLAUDE.configuration(SERVICE)).isEqualTo("""
        {
          "mcpServers": {
            "tower": {
              "type": "http",
              "url": "https://tower.example.org/mcp",
              "headers": { "Authorization": "Bearer ${TOWER_TOKEN}" }
            }
          }
        }
        """);
    assertThat(McpClient.CURSOR.configuration(SERVICE)).contains("\"url\"", "Bearer ${env:TOWER_TOKEN}")
        .doesNotContain("\"type\"");
    assertThat(McpClient.CODEX.configuration(COMMAND)).isEqualTo("""
        [mcp_servers.tower]
        command = "tower"
        args = ["mcp", "--actor", "a"]
        """);
    assertThat(McpClient.CODEX.configuration(SERVICE)).isEqualTo("""
        [mcp_servers.tower]
        url = "https://tower.example.org/mcp"
        bearer_token_env_var = "TOWER_TOKEN"
        """);
    assertThat(McpClient.VSCODE.configuration(COMMAND)).contains("\"servers\": {", "\"type\": \"stdio\"")
        .doesNotContain("inputs");
    assertThat(McpClient.VSCODE.configuration(SERVICE)).isEqualTo("""
        {
          "inputs": [
            {
              "id": "tower-token",
              "type": "promptString",
              "description": "Token of the Tower Executor",
              "password": true
            }
          ],
          "servers": {
            "tower": {
              "type": "http",
              "url": "https://tower.example.org/mcp",
              "headers": { "Authorization": "Bearer ${input:tower-token}" }
            }
          }
        }
        """);
  }

  @Test
  @DisplayName("The client's own command adds the same entry; its words are quoted for a shell")
  void commands() {
    assertThat(McpClient.CLAUDE.command(COMMAND))
        .contains("claude mcp add --scope project tower -- tower mcp --actor a");
    assertThat(McpClient.CLAUDE.command(SERVICE)).contains("claude mcp add --scope project --transport http tower"
        + " https://tower.example.org/mcp --header 'Authorization: Bearer ${TOWER_TOKEN}'");
    assertThat(McpClient.CODEX.command(ServerEntry.ofCommand(List.of("/opt/my tower/bin/tower", "mcp", "it's"))))
        .contains("codex mcp add tower -- '/opt/my tower/bin/tower' mcp 'it'\\''s'");
    assertThat(McpClient.CODEX.command(SERVICE))
        .contains("codex mcp add tower --url https://tower.example.org/mcp --bearer-token-env-var TOWER_TOKEN");
    assertThat(McpClient.CURSOR.command(COMMAND)).isEmpty();
    assertThat(McpClient.VSCODE.command(COMMAND)).contains("code --add-mcp '{\"name\":\"tower\",\"type\":\"stdio\","
        + "\"command\":\"tower\",\"args\":[\"mcp\", \"--actor\", \"a\"]}'");
    assertThat(McpClient.VSCODE.command(SERVICE)).as("asks for a token, which only the file can say").isEmpty();
  }
}
