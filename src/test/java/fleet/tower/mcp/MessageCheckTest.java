package fleet.tower.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.json.JsonMapper;

@DisplayName("The check of messages")
class MessageCheckTest {
  private static final String META = """
      "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}""";
  private final MessageCheck check = new MessageCheck();

  private void received(String request, String message) {
    check.received(JsonMapper.shared().readTree(request), JsonMapper.shared().readTree(message));
  }

  private static String modern(String method, String members) {
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{" + META + members + "}}";
  }

  private static String result(String members) {
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{" + members + "}}";
  }

  @Test
  @DisplayName("Valid messages of both revisions and of tasks have no deviations")
  void valid() {
    received(modern("tools/call", ",\"name\":\"a\""), result("\"resultType\":\"complete\",\"content\":[]"));
    received(modern("tasks/cancel", ""), result("\"resultType\":\"complete\""));
    received(modern("tools/call", ""), result("\"resultType\":\"task\",\"taskId\":\"t\",\"status\":\"working\","
        + "\"createdAt\":\"2026-11-22T10:00:00Z\",\"lastUpdatedAt\":\"2026-11-22T10:00:00Z\",\"ttlMs\":1"));
    received("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", result(""));
    received("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":2}}");

    assertThat(check.mistakes()).isEmpty();
    assertThat(check.seen()).contains("2026-07-28 CallToolResult", "tasks CancelTaskResult", "tasks CreateTaskResult",
        "2025-11-25 EmptyResult", "2025-11-25 ProgressNotification");
  }

  @Test
  @DisplayName("A missing member, an unknown method and a task that the revision does not have are deviations")
  void invalid() {
    received(modern("tools/call", ",\"name\":\"a\""), result("\"content\":[]"));
    received(modern("tools/sing", ""), result("\"resultType\":\"complete\""));
    received(modern("tasks/get", ""), result("\"resultType\":\"complete\",\"status\":\"working\""));
    received("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks\",\"params\":{}}");

    assertThat(check.mistakes()).anyMatch(it -> it.startsWith("tools/call as CallToolResult"))
        .anyMatch(it -> it.startsWith("no schema has a result of tools/sing"))
        .anyMatch(it -> it.startsWith("tasks/get as GetTaskResult"))
        .anyMatch(it -> it.startsWith("no schema has the notification"));
  }

  @Test
  @DisplayName("A structured result that its tool's output schema rejects, and a missing one, are deviations")
  void structured() {
    received(modern("tools/list", ""), result("\"resultType\":\"complete\",\"ttlMs\":1,\"cacheScope\":\"private\","
        + "\"tools\":[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":{\"type\":\"object\","
        + "\"required\":[\"outcome\"]}}]"));
    received(modern("tools/call", ",\"name\":\"a\""),
        result("\"resultType\":\"complete\",\"content\":[],\"structuredContent\":{\"outcome\":\"done\"}"));
    assertThat(check.mistakes()).isEmpty();

    received(modern("tools/call", ",\"name\":\"a\""),
        result("\"resultType\":\"complete\",\"content\":[],\"structuredContent\":{}"));
    received(modern("tools/call", ",\"name\":\"a\""), result("\"resultType\":\"complete\",\"content\":[]"));
    assertThat(check.mistakes()).hasSize(2).anyMatch(it -> it.contains("required property 'outcome'"))
        .anyMatch(it -> it.contains("has no structured content"));
  }
}
