package fleet.tower.cli.mcp;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonWriter;

/**
 * The entry of the Tower Executor in a client's configuration: a command to start, or the URL of a service.
 *
 * @param url null for a command
 */
record ServerEntry(List<String> command, @Nullable String url) {
  static final String NAME = "tower";
  /** The id under which VS Code asks for the token and stores it. */
  static final String INPUT = "tower-token";

  ServerEntry {
    command = List.copyOf(command);
  }

  static ServerEntry ofCommand(List<String> command) {
    return new ServerEntry(command, null);
  }

  static ServerEntry ofService(String url) {
    return new ServerEntry(List.of(), url);
  }

  boolean isRemote() {
    return url != null;
  }

  /** The members for a client that reads JSON, as JSON. */
  Map<String, String> json(McpClient client) {
    Map<String, String> members = new LinkedHashMap<>();
    if (url != null) {
      if (client != McpClient.CURSOR) {
        members.put("type", JsonWriter.quote("http"));
      }
      members.put("url", JsonWriter.quote(url));
      members.put("headers", "{ \"Authorization\": " + JsonWriter.quote("Bearer " + client.token()) + " }");
      return members;
    }
    if (client == McpClient.VSCODE) {
      members.put("type", JsonWriter.quote("stdio"));
    }
    members.put("command", JsonWriter.quote(command.getFirst()));
    members.put("args", arguments());
    return members;
  }

  /** The members in TOML, whose strings in quotes have the escapes of JSON. */
  Map<String, String> toml() {
    Map<String, String> members = new LinkedHashMap<>();
    if (url != null) {
      members.put("url", JsonWriter.quote(url));
      members.put("bearer_token_env_var", JsonWriter.quote(McpClient.CODEX.token()));
      return members;
    }
    members.put("command", JsonWriter.quote(command.getFirst()));
    members.put("args", arguments());
    return members;
  }

  /** The definition of the input that holds the token in VS Code. */
  static Map<String, String> input() {
    Map<String, String> members = new LinkedHashMap<>();
    members.put("id", JsonWriter.quote(INPUT));
    members.put("type", JsonWriter.quote("promptString"));
    members.put("description", JsonWriter.quote("Token of the Tower Executor"));
    members.put("password", "true");
    return members;
  }

  private String arguments() {
    return command.stream().skip(1).map(JsonWriter::quote).collect(Collectors.joining(", ", "[", "]"));
  }
}
