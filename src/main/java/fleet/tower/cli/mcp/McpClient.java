package fleet.tower.cli.mcp;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** A program that uses servers of the protocol, and the form of its configuration. */
enum McpClient {
  CLAUDE("Claude Code", "claude-code", ".mcp.json", "mcpServers"), CODEX("Codex", "codex", "config.toml",
      "mcp_servers"), VSCODE("VS Code", "vscode", ".vscode/mcp.json",
          "servers"), CURSOR("Cursor", "cursor", ".cursor/mcp.json", "mcpServers");

  private final String title;
  private final String actor;
  private final String file;
  private final String section;

  McpClient(String title, String actor, String file, String section) {
    this.title = title;
    this.actor = actor;
    this.file = file;
    this.section = section;
  }

  /** The client with a name. */
  static Optional<McpClient> of(String name) {
    return Arrays.stream(values()).filter(client -> client.toString().equals(name)).findFirst();
  }

  /** The names of all clients. */
  static List<String> names() {
    return Arrays.stream(values()).map(McpClient::toString).toList();
  }

  /** Its name for people. */
  String title() {
    return title;
  }

  /** Its name in the audit log. */
  String actor() {
    return actor;
  }

  /**
   * The directory of a home in or above the project, for a configuration that the project's users share; empty if the
   * client starts the server in the project.
   */
  String place(Path relative, Path absolute) {
    return switch (this) {
      case CLAUDE -> "";
      case CODEX -> absolute.toString();
      case VSCODE, CURSOR -> "${workspaceFolder}" + (relative.toString().isEmpty() ? "" : "/" + relative);
    };
  }

  /** Its configuration file. */
  Path file(Path project, Function<String, Optional<String>> environment) {
    return this == CODEX
        ? environment.apply("CODEX_HOME").map(Path::of)
            .orElseGet(() -> Path.of(environment.apply("HOME").orElse(System.getProperty("user.home")), ".codex"))
            .resolve(file)
        : project.resolve(file);
  }

  /**
   * The text of its configuration with the entry {@code tower}; everything else is kept.
   *
   * @throws UnreadableConfiguration if it cannot read the text
   */
  String configured(String text, ServerEntry entry) throws UnreadableConfiguration {
    return switch (this) {
      case CODEX -> new TomlText(text).with(List.of(section, ServerEntry.NAME), entry.toml(), ServerEntry.OWN);
      case CLAUDE, CURSOR -> new JsonText(text, false).with(List.of(section, ServerEntry.NAME), entry.json(this),
          ServerEntry.OWN).text();
      case VSCODE -> {
        JsonText json = new JsonText(text, true).with(List.of(section, ServerEntry.NAME), entry.json(this),
            ServerEntry.OWN);
        yield (entry.isRemote() ? json.withItem("inputs", "id", ServerEntry.INPUT, ServerEntry.input()) : json).text();
      }
    };
  }

  /** The variable reference that this client replaces with the token. */
  String token() {
    return switch (this) {
      case CLAUDE -> "${TOWER_TOKEN}";
      case CURSOR -> "${env:TOWER_TOKEN}";
      case VSCODE -> "${input:" + ServerEntry.INPUT + "}";
      case CODEX -> "TOWER_TOKEN";
    };
  }

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
