package fleet.tower.service.mcp.http;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.TestRunService;
import fleet.tower.service.web.access.TestTokens;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Every refusal of the MCP endpoint is audited")
class McpRefusalsTest {
  private static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}";

  @AutoClose
  private final TestRunService runs;

  McpRefusalsTest(@TempDir Path home) {
    TestTokens.write(home, entry("lim", "agent", "intents: [say]\nlocks: ['ci-*']\n") + entry("vic", "viewer", "")
        + entry("bob", "agent", ""));
    runs = new TestRunService(home);
  }

  private Answer call(String token, String method, String name, String params) {
    return runs.service.callAs(tokenOf(token), "POST", "/mcp",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{" + params + "," + META + "}}",
        "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name);
  }

  private Answer tool(String token, String tool, String arguments) {
    return call(token, "tools/call", tool, "\"name\":\"" + tool + "\",\"arguments\":{" + arguments + "}");
  }

  private List<JsonObject> refusals() {
    try {
      return JsonReader.readObject(runs.service.get("/audit?event=access_denied").body()).objects("events");
    } catch (JsonException e) {
      throw new AssertionError(e);
    }
  }

  /** Checks that exactly one refusal was audited since there were some, and returns it. */
  private JsonObject oneMoreThan(int before) {
    List<JsonObject> now = refusals();
    assertThat(now).hasSize(before + 1);
    return now.getLast();
  }

  private void expectAudited(String token, String tool, String arguments, String reason) {
    int before = refusals().size();
    tool(token, tool, arguments);
    JsonObject event = oneMoreThan(before);
    assertThat(event.text("actor")).hasValue(token);
    assertThat(event.text("path")).hasValue("/mcp");
    assertThat(event.text("mcp_method")).hasValue("tools/call");
    assertThat(event.text("tool")).hasValue(tool);
    assertThat(event.text("reason")).hasValue(reason);
  }

  @Test
  @DisplayName("Tools that the role or the token does not permit, although they are unknown to the caller")
  void tools() {
    assertThat(tool("vic", "acquire_lock", "\"lock_name\":\"a\"").body()).contains("-32602", "there is no tool");
    expectAudited("vic", "acquire_lock", "\"lock_name\":\"a\"", "role_too_low");
    expectAudited("vic", "say", "", "role_too_low");
    expectAudited("lim", "wait", "\"lock\":\"one\"", "intent_not_allowed");
    expectAudited("lim", "acquire_lock", "\"lock_name\":\"prod\"", "lock_not_allowed");
    int before = refusals().size();
    tool("lim", "no_such_tool", "");
    assertThat(refusals()).as("nothing was refused").hasSize(before);
  }

  @Test
  @DisplayName("The arguments are there, without the secrets of any intent, and bounded")
  void arguments() {
    int before = refusals().size();
    tool("lim", "vault", "\"key\":\"very-secret-key\",\"more\":[{\"key\":\"other-secret\",\"a\":1}],\"text\":\""
        + "x".repeat(2000) + "\"");
    String shown = oneMoreThan(before).text("arguments").orElseThrow();
    assertThat(shown).startsWith("{\"key\":\"***\",\"more\":[{\"key\":\"***\",\"a\":1}],\"text\":\"xxx").endsWith("x…")
        .hasSize(1001);
  }

  @Test
  @DisplayName("Cancelling and updating the task of another, and a prompt about an intent that is not permitted")
  void protocolErrors() {
    runs.service.callAs(tokenOf("bob"), "POST", "/intents/say", "{\"request_id\":\"of-bob\"}");
    for (String method : new String[]{"tasks/cancel", "tasks/update"}) {
      int before = refusals().size();
      assertThat(call("lim", method, "of-bob", "\"taskId\":\"of-bob\",\"inputResponses\":{}").body())
          .contains("-32600");
      JsonObject event = oneMoreThan(before);
      assertThat(event.text("mcp_method")).hasValue(method);
      assertThat(event.text("arguments")).hasValue("{\"taskId\":\"of-bob\",\"inputResponses\":{}}");
      assertThat(event.text("reason")).hasValue("not_yours");
    }
    int before = refusals().size();
    assertThat(call("lim", "prompts/get", "change_safely",
        "\"name\":\"change_safely\",\"arguments\":{\"intent\":\"wait\"}").body()).contains("-32602");
    assertThat(oneMoreThan(before).text("reason")).hasValue("intent_not_allowed");
    assertThat(call("vic", "prompts/get", "take_over", "\"name\":\"take_over\"").body()).contains("there is no prompt");
    assertThat(oneMoreThan(before + 1).text("reason")).hasValue("role_too_low");
  }

  @Test
  @DisplayName("Hosts and origins that are not allowed, before a token is checked")
  void hosts() throws IOException {
    int before = refusals().size();
    assertThat(raw("attacker.example", "")).contains(" 403 ");
    JsonObject host = oneMoreThan(before);
    assertThat(host.text("reason")).hasValue("host_not_allowed");
    assertThat(host.text("path")).hasValue("/mcp");
    assertThat(host.get("actor")).isNull();

    assertThat(raw("localhost", "Origin: https://attacker.example\r\n")).contains(" 403 ");
    assertThat(oneMoreThan(before + 1).text("reason")).hasValue("origin_not_allowed");
  }

  private String raw(String host, String headers) throws IOException {
    URI url = URI.create(runs.service.url());
    try (Socket socket = new Socket(url.getHost(), url.getPort())) {
      socket.getOutputStream().write(("POST /mcp HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + headers
          + "Content-Length: 0\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
