package fleet.tower.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
        .isEqualTo("tower: this belongs in " + project + "/.mcp.json of Claude Code; --write puts "
            + "it there and keeps the rest of the file\n");
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
  @DisplayName("--write creates the file of each client, and what it wrote starts a server")
  void writes() throws Exception {
    for (String client : List.of("claude", "vscode", "cursor", "codex")) {
      Result result = install(client, "--write");
      assertThat(result.exit()).as(result.err()).isZero();
      assertThat(result.out()).isEmpty();
      assertThat(result.err()).contains(" has the entry tower; restart ");
    }

    assertThat(project.resolve(".mcp.json")).content().contains("\"mcpServers\"");
    assertThat(project.resolve(".vscode/mcp.json")).content().contains("\"servers\"");
    assertThat(project.resolve(".cursor/mcp.json")).content().contains("\"mcpServers\"");
    Path codex = tower.root().resolve("user/.codex/config.toml");
    assertThat(codex).content().contains("[mcp_servers.tower]\n", "\"--home\", \"" + tower.home() + "\"");
    assertThat(install("claude", "--write").err()).contains("already has this entry; nothing was changed");
    try (Stream<Path> files = Files.walk(project)) {
      assertThat(files.filter(Files::isRegularFile)).as("no temporary file is left").hasSize(3);
    }
    Result server = tower.run(List.of("bash", "-c", "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | "
        + tower.launcher() + " mcp --home " + tower.home() + " --actor codex"));
    assertThat(server.out()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
  }

  @Test
  @DisplayName("A file keeps its permissions and its symbolic link; a broken one is not touched")
  @ProofsProfile
  void existing() throws Exception {
    Path shared = Files.writeString(tower.root().resolve("shared.json"), "{\"a\": 1}");
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rw-r-----"));
    Path link = Files.createSymbolicLink(project.resolve(".mcp.json"), shared);

    assertThat(install("claude", "--write").exit()).isZero();

    assertThat(link).isSymbolicLink();
    assertThat(shared).content().startsWith("{\"mcpServers\": {").endsWith(", \"a\": 1}");
    assertThat(Files.getPosixFilePermissions(shared)).isEqualTo(PosixFilePermissions.fromString("rw-r-----"));

    Files.writeString(shared, "{\"a\": 1");
    Result broken = install("claude", "--write", "--json");
    assertThat(broken.exit()).isEqualTo(78);
    assertThat(broken.out()).contains("\"error_code\":\"invalid_config\"",
        link + " was not changed: it is not valid JSON: it ends in the middle",
        "add the entry yourself: tower mcp install claude");
    assertThat(shared).hasContent("{\"a\": 1");
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
    assertThat(install("claude", "--wirte").err()).contains("did you mean --write?");
  }
}
