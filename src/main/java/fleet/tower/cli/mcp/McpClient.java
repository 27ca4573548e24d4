package fleet.tower.cli.mcp;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

import fleet.tower.answer.CommandLine;
import fleet.tower.platform.json.JsonWriter;

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

  /** Its configuration with no other server than the entry. */
  String configuration(ServerEntry entry) {
    if (this == CODEX) {
      return "[" + section + "." + ServerEntry.NAME + "]\n" + entry.toml().entrySet().stream()
          .map(member -> member.getKey() + " = " + member.getValue() + "\n").collect(Collectors.joining());
    }
    Map<String, String> root = new LinkedHashMap<>();
    if (this == VSCODE && entry.isRemote()) {
      root.put("inputs", "[\n    " + object(ServerEntry.input(), "    ") + "\n  ]");
    }
    root.put(section, object(Map.of(ServerEntry.NAME, object(entry.json(this), "    ")), "  "));
    return object(root, "") + "\n";
  }

  private static String object(Map<String, String> members, String indent) {
    return members.entrySet().stream()
        .map(member -> indent + "  " + JsonWriter.quote(member.getKey()) + ": " + member.getValue())
        .collect(Collectors.joining(",\n", "{\n", "\n" + indent + "}"));
  }

  /** Its own command that adds the entry; empty if it has none that can. */
  Optional<String> command(ServerEntry entry) {
    String server = entry.command().stream().map(CommandLine::quoted).collect(Collectors.joining(" "));
    return switch (this) {
      case CLAUDE -> Optional.of("claude mcp add --scope project " + (entry.url() == null
          ? ServerEntry.NAME + " -- " + server
          : "--transport http " + ServerEntry.NAME + " " + CommandLine.quoted(entry.url()) + " --header "
              + CommandLine.quoted("Authorization: Bearer " + token())));
      case CODEX -> Optional.of("codex mcp add " + ServerEntry.NAME + (entry.url() == null
          ? " -- " + server
          : " --url " + CommandLine.quoted(entry.url()) + " --bearer-token-env-var " + token()));
      case VSCODE -> entry.isRemote()
          ? Optional.empty()
          : Optional.of("code --add-mcp " + CommandLine.quoted("{\"name\":" + JsonWriter.quote(ServerEntry.NAME) + ","
              + entry.json(this).entrySet().stream().map(it -> JsonWriter.quote(it.getKey()) + ":" + it.getValue())
                  .collect(Collectors.joining(","))
              + "}"));
      case CURSOR -> Optional.empty();
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
