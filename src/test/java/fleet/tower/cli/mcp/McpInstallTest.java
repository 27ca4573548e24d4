package fleet.tower.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;

@DisplayName("tower mcp install")
class McpInstallTest {
  private final Installation tower;
  private final Path project;

  McpInstallTest(@TempDir Path directory) throws IOException {
    tower = new Installation(directory.resolve("release"));
    project = Files.createDirectories(directory.resolve("project"));
    tower.in(project);
  }

  private Result install(String... arguments) {
    return tower.tower(Stream.concat(Stream.of("mcp", "install"), Stream.of(arguments)).toArray(String[]::new));
  }

  @Test
  @DisplayName("It prints the configuration and where to put it, and writes nothing")
  void prints() throws Exception {
    Result result = install("claude");

    assertThat(result.exit()).as(result.err()).isZero();
    assertThat(result.out()).isEqualTo("""
        {
          "mcpServers": {
            "tower": {
              "command": "%s",
              "args": ["mcp", "--home", "%s", "--actor", "claude-code"]
            }
          }
        }
        """.formatted(tower.launcher(), tower.home()));
    assertThat(result.err())
        .isEqualTo("tower: this belongs in " + project + "/.mcp.json of Claude Code; or run: claude mcp add --scope "
            + "project tower -- " + tower.launcher() + " mcp --home " + tower.home() + " --actor claude-code\n");
    assertThat(project).isEmptyDirectory();
  }

  @Test
  @DisplayName("A home in the project is found from there, by a launcher on the search path")
  @ProofsProfile
  void portable() throws Exception {
    Files.createDirectories(project.resolve("intents"));
    Files.createDirectories(project.resolve("config"));
    tower.without("TOWER_HOME").with("PATH", tower.root().resolve("bin") + ":" + Installation.path());

    assertThat(install("claude", "--actor", "bot").out()).contains("\"command\": \"tower\"",
        "\"args\": [\"mcp\", \"--actor\", \"bot\"]");
    assertThat(install("cursor", "--role", "operator").out()).contains(
        "\"args\": [\"mcp\", \"--home\", \"${workspaceFolder}\", \"--actor\", \"cursor\", \"--role\", \"operator\"]");
    assertThat(install("codex").out()).contains("\"--home\", \"" + project + "\"");
    tower.in(Files.createDirectory(project.resolve("web")));
    assertThat(install("vscode").out()).contains("\"--home\", \"${workspaceFolder}/..\"");
  }

  @Test
  @DisplayName("The command that it prints starts a server")
  void starts() {
    String line = install("codex").err().replaceFirst("(?s).*or run: codex mcp add tower -- (.*)\n", "$1");

    Result server = tower.run(List.of("bash", "-c",
        "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | " + line));

    assertThat(server.out()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
  }

  @Test
  @DisplayName("With --server, the client connects to the service with a token from its environment, never from ours")
  @ProofsProfile
  void service() throws Exception {
    tower.with("TOWER_TOKEN", "tower_secret");
    Result result = install("codex", "--server", "https://tower.example.org/");

    assertThat(result.out()).isEqualTo("""
        [mcp_servers.tower]
        url = "https://tower.example.org/mcp"
        bearer_token_env_var = "TOWER_TOKEN"
        """);
    assertThat(result.err()).contains("reads the token from TOWER_TOKEN in its environment");
    assertThat(install("vscode", "--server", "https://tower.example.org").err()).contains("asks for the token once");
    assertThat(result.out() + result.err()).doesNotContain("tower_secret");
    assertThat(install("claude", "--server", "https://tower.example.org", "--role", "agent").err())
        .contains("--role applies only to the files of a home");
  }

  @Test
  @DisplayName("An unknown client, and a word that is not a command, are refused with the nearest match")
  void mistakes() {
    assertThat(install("cursr").err()).contains(
        "'cursr' must be one of claude, codex, vscode, cursor; did you mean cursor?");
    assertThat(tower.tower("mcp", "instal").err()).contains("there is no command 'mcp instal'",
        "did you mean `tower mcp install`?");
    assertThat(install().err()).contains("claude|codex|vscode|cursor is missing");
    assertThat(install("claude", "--rloe", "agent").err()).contains("did you mean --role?");
  }
}
