package fleet.tower.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import fleet.tower.platform.json.JsonReader;

@DisplayName("The configuration of a client, with the entry of the Tower Executor")
class McpClientTest {
  private static final ServerEntry COMMAND = ServerEntry.ofCommand(List.of("tower", "mcp", "--actor", "a"));
  private static final ServerEntry SERVICE = ServerEntry.ofService("https://tower.example.org/mcp");

  @Test
  @DisplayName("An empty file gets the form that the client reads")
  void fresh() throws Exception {
    assertThat(McpClient.CLAUDE.configured("", COMMAND)).isEqualTo("""
        {
          "mcpServers": {
            "tower": {
              "command": "tower",
              "args": ["mcp", "--actor", "a"]
            }
          }
        }
        """);
    assertThat(McpClient.CLAUDE.configured("\n", SERVICE)).isEqualTo("""
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
    assertThat(McpClient.CURSOR.configured("", SERVICE)).contains("\"url\"", "Bearer ${env:TOWER_TOKEN}")
        .doesNotContain("\"type\"");
    assertThat(McpClient.CODEX.configured("", COMMAND)).isEqualTo("""
        [mcp_servers.tower]
        command = "tower"
        args = ["mcp", "--actor", "a"]
        """);
    assertThat(McpClient.CODEX.configured("", SERVICE)).isEqualTo("""
        [mcp_servers.tower]
        url = "https://tower.example.org/mcp"
        bearer_token_env_var = "TOWER_TOKEN"
        """);
    assertThat(McpClient.VSCODE.configured("", COMMAND)).contains("\"servers\": {", "\"type\": \"stdio\"")
        .doesNotContain("inputs");
    assertThat(McpClient.VSCODE.configured("", SERVICE)).isEqualTo("""
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

  @ParameterizedTest
  @EnumSource
  @DisplayName("Adding the same entry twice changes nothing, and an entry of the other kind replaces it")
  void again(McpClient client) throws Exception {
    String once = client.configured("", COMMAND);
    assertThat(client.configured(once, COMMAND)).isEqualTo(once);
    String remote = client.configured(once, SERVICE);
    assertThat(remote).contains("https://tower.example.org/mcp").doesNotContain("args");
    assertThat(client.configured(remote, SERVICE)).isEqualTo(remote);
    assertThat(client.configured(remote, COMMAND)).contains("\"--actor\"").doesNotContain("https://");
  }

  @Test
  @DisplayName("Everything else in a JSON file stays, byte for byte: order, white space, line ends")
  void jsonStays() throws Exception {
    String text = "{\r\n\t\"a\" : [1,  2.0],\r\n\t\"mcpServers\": {\r\n\t\t\"x\":{\"command\":\"y\"}\r\n\t},"
        + "\"z\":null}";
    String entry = "\r\n\t\t\"tower\": {\r\n\t\t  \"command\": \"tower\",\r\n\t\t  \"args\": [\"mcp\", \"--actor\", "
        + "\"a\"]\r\n\t\t},";
    String after = McpClient.CLAUDE.configured(text, COMMAND);

    assertThat(after).isEqualTo(text.replace("\"mcpServers\": {", "\"mcpServers\": {" + entry));
    JsonReader.readObject(after);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
      "{} | ~{\n  \"mcpServers\": {\n    \"tower\": {\n      E\n    }\n  }\n}~",
      "{\"a\":1} | ~{\"mcpServers\": { \"tower\": { E } }, \"a\":1}~",
      "{\"mcpServers\":{}} | ~{\"mcpServers\":{\n  \"tower\": {\n    E\n  }\n}}~",
      "{ \"mcpServers\": { \"x\": {} } } | ~{ \"mcpServers\": { \"tower\": { E }, \"x\": {} } }~"})
  @DisplayName("Files on one line, and empty objects, get the entry")
  void oneLine(String text, String expected) throws Exception {
    String after = McpClient.CURSOR.configured(text, COMMAND);

    assertThat(after.replaceAll("\"command\": \"tower\",\\s+\"args\": \\[\"mcp\", \"--actor\", \"a\"]", "E"))
        .isEqualTo(expected);
    JsonReader.readObject(after);
  }

  @Test
  @DisplayName("Members that the user added to the entry stay in it")
  void jsonEntry() throws Exception {
    String text = """
        {
          "mcpServers": {
            "first": {},
            "tower": { "command": "old", "env": { "A": "b" }, "args": [], "timeout": 5 }
          }
        }
        """;

    assertThat(McpClient.CLAUDE.configured(text, COMMAND)).isEqualTo("""
        {
          "mcpServers": {
            "first": {},
            "tower": {
              "command": "tower",
              "args": ["mcp", "--actor", "a"],
              "env": { "A": "b" },
              "timeout": 5
            }
          }
        }
        """);
  }

  @Test
  @DisplayName("Comments and trailing commas of VS Code stay; Claude Code does not read them")
  void comments() throws Exception {
    String text = """
        // Servers of "this" project, {
        {
          /* none, ] */
          "servers": {
            "x": { "url": "http://a/b//c" }, // the first
          },
          "inputs": [ { "id": "other", }, ],
        }
        """;

    String after = McpClient.VSCODE.configured(text, SERVICE);

    assertThat(after.lines().filter(line -> text.lines().toList().contains(line)).toList())
        .containsSubsequence(text.lines().filter(line -> !line.contains("inputs")).toList());
    assertThat(after).contains("    \"tower\": {\n      \"type\": \"http\"", "\"id\": \"tower-token\"",
        "{ \"id\": \"other\", }, ],");
    JsonReader.readObject(JsonText.masked(after));
    assertThat(McpClient.VSCODE.configured(after, SERVICE)).isEqualTo(after);
    assertThatThrownBy(() -> McpClient.CLAUDE.configured(text, COMMAND)).isInstanceOf(UnreadableConfiguration.class);
  }

  @Test
  @DisplayName("Everything else in a TOML file stays; the table is appended, or changed in place")
  void tomlStays() throws Exception {
    String text = """
        model = "o" # [mcp_servers.tower]
        notes = \"""
        [mcp_servers.tower]
        \"""
        list = [ # a
          'x]', { a = 1, b = [2] },
        ]
        date = 1979-05-27 07:32:00Z

        [mcp_servers.other]
        command = "x"
        """;
    String table = "[mcp_servers.tower]\ncommand = \"tower\"\nargs = [\"mcp\", \"--actor\", \"a\"]\n";
    assertThat(McpClient.CODEX.configured(text, COMMAND)).isEqualTo(text + "\n" + table);
    assertThat(McpClient.CODEX.configured("a = 1", COMMAND)).isEqualTo("a = 1\n\n" + table);

    String present = """
        [mcp_servers."tower"] # ours
        # how it starts
        command = "old"
        startup_timeout_sec = 20
        args = [
          "a", # b
        ]

        [mcp_servers.tower.env]
        A = "b"
        [z]
        command = "mine"
        """;
    assertThat(McpClient.CODEX.configured(text + present, COMMAND)).isEqualTo(text + """
        [mcp_servers."tower"] # ours
        command = "tower"
        args = ["mcp", "--actor", "a"]
        # how it starts
        startup_timeout_sec = 20

        [mcp_servers.tower.env]
        A = "b"
        [z]
        command = "mine"
        """);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
      "CLAUDE | { | it is not valid JSON: it ends in the middle (cut off at character 1)",
      "CLAUDE | [] | it is not valid JSON: not an object",
      "CURSOR | {\"mcpServers\": []} | its \"mcpServers\" is not an object",
      "CURSOR | {\"mcpServers\": {\"tower\": 1}} | its \"tower\" is not an object",
      "VSCODE | {\"servers\": {} /* | it is not valid JSON: ",
      "VSCODE | {\"inputs\": {}} | its \"inputs\" is not a list",
      "CODEX | ~a = 1\nb = \"x~ | it is not valid TOML: line 2: a string without an end",
      "CODEX | ~[a\nb = 1~ | it is not valid TOML: line 1: expected ']'",
      "CODEX | a = [1, 2 | it is not valid TOML: line 1: expected ',' or ']'",
      "CODEX | a = b | it is not valid TOML: line 1: not a value",
      "CODEX | a = | it is not valid TOML: line 1: not a value",
      "CODEX | a = 1 2 | it is not valid TOML: line 1: not a value",
      "CODEX | a = \"x\" y | it is not valid TOML: line 1: text after the end of the value",
      "CODEX | a | it is not valid TOML: line 1: expected '='",
      "CODEX | mcp_servers = {} | line 1 does not define mcp_servers.tower as a table [mcp_servers.tower]; write it as one first",
      "CODEX | ~[mcp_servers]\ntower = {}~ | line 2 does not define mcp_servers.tower as a table",
      "CODEX | ~[mcp_servers]\ntower.command = 'x'~ | line 2 does not define mcp_servers.tower as a table",
      "CODEX | [[mcp_servers]] | line 1 does not define mcp_servers.tower as a table"})
  @DisplayName("A file that cannot be changed safely is refused with the position of the problem")
  void broken(McpClient client, String text, String problem) {
    assertThatThrownBy(() -> client.configured(text, SERVICE)).isInstanceOf(UnreadableConfiguration.class)
        .hasMessageStartingWith(problem);
  }
}
