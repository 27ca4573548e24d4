package fleet.tower.service.web;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.access.TestTokens;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("A claim on a task belongs to the token that made it, whatever agent a call names")
class TaskOwnershipTest {
  private static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

  @AutoClose
  private TestService service;

  @BeforeAll
  void start(@TempDir Path home) {
    TestTokens.write(home, entry("bob", "agent", "") + entry("lim", "agent",
        "intents: [{name: 'deploy-*', params: {environment: [staging]}}]\nlocks: ['ci-*']\n"));
    service = new TestService(home);
  }

  /** A call of a token, as the agent {@code bobagent}. */
  private Answer as(String token, String path, String id, String members, String... headers) {
    return service.callAs(tokenOf(token), "POST", "/tasks" + path,
        "{\"agent\":\"bobagent\",\"request_id\":\"" + id + "\"" + members + "}", headers);
  }

  private Answer tool(String token, String tool, String arguments) {
    return service.callAs(tokenOf(token), "POST", "/mcp",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool + "\",\"arguments\":{"
            + arguments + ",\"agent\":\"bobagent\"}," + META + "}}",
        "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool);
  }

  private void bobClaims(String task, String ttl) {
    assertThat(as("bob", "", "make-" + task, ",\"id\":\"" + task + "\",\"title\":\"T\"").status()).isEqualTo(201);
    assertThat(as("bob", "/" + task + "/start", "claim-" + task, ",\"ttl_seconds\":" + ttl).body())
        .contains("\"standing\":\"held\"", "\"claimed_by\":\"bobagent\",\"claimed_with\":\"bob\"");
  }

  private String state(String task) {
    return service.get("/tasks/" + task).body() + service.get("/tasks/" + task + "/events").body();
  }

  private static void assertRefused(Answer answer, String error, String task) {
    assertThat(answer.body()).contains("\"error\":\"" + error + "\"", "\"claimed_with\":\"bob\"",
        "task " + task + " is claimed by bobagent of the token 'bob' until ");
    assertThat(answer.status()).isEqualTo(409);
  }

  @ParameterizedTest(name = "X-Actor {0}")
  @ValueSource(strings = {"", "bob", "bobagent"})
  @DisplayName("Over HTTP, another token neither renews, starts, resumes, closes nor releases it")
  void overHttp(String behalf) {
    String task = "jbtask" + behalf;
    String[] headers = behalf.isEmpty() ? new String[0] : new String[]{"X-Actor", behalf};
    bobClaims(task, "300");
    String before = state(task);

    assertRefused(as("lim", "/" + task + "/heartbeat", "l1" + task, "", headers), "claim_not_owned", task);
    assertRefused(as("lim", "/" + task + "/heartbeat", "l2" + task, ",\"attempt\":1", headers), "claim_not_owned",
        task);
    assertRefused(as("lim", "/" + task + "/start", "l3" + task, "", headers), "claim_contention", task);
    assertRefused(as("lim", "/" + task + "/release", "l4" + task, "", headers), "claim_not_owned", task);
    assertRefused(as("lim", "/" + task + "/close", "l5" + task, ",\"outcome\":\"done\"", headers), "claim_not_owned",
        task);
    assertThat(as("lim", "/resume", "l6" + task, "", headers).body()).contains("\"task\":null");
    Answer replay = as("lim", "/" + task + "/start", "claim-" + task, ",\"ttl_seconds\":300", headers);
    assertThat(replay.body()).contains("\"error\":\"idempotency_mismatch\"",
        "request id claim-" + task + " was used before by the token 'bob', for start ");

    assertThat(state(task)).isEqualTo(before);
    assertThat(as("bob", "/" + task + "/heartbeat", "b1" + task, "").status()).isEqualTo(200);
    assertThat(as("bob", "/resume", "b2" + task, "").body()).contains("\"id\":\"" + task + "\"");
    assertThat(as("bob", "/" + task + "/close", "b3" + task, ",\"outcome\":\"done\"").status()).isEqualTo(200);
  }

  @Test
  @DisplayName("Over MCP neither")
  void overMcp() {
    bobClaims("mcp", "300");
    String before = state("mcp");

    for (Answer answer : new Answer[]{tool("lim", "renew_task", "\"task_id\":\"mcp\""),
        tool("lim", "claim_task", "\"task_id\":\"mcp\""),
        tool("lim", "close_task", "\"task_id\":\"mcp\",\"outcome\":\"release\""),
        tool("lim", "close_task", "\"task_id\":\"mcp\",\"outcome\":\"done\"")}) {
      assertThat(answer.body()).contains("task mcp is claimed by bobagent of the token 'bob' until ",
          "\"isError\":true");
    }

    assertThat(state("mcp")).isEqualTo(before);
    assertThat(tool("bob", "renew_task", "\"task_id\":\"mcp\"").body()).contains("\"standing\":\"held\"");
    assertThat(tool("bob", "close_task", "\"task_id\":\"mcp\",\"outcome\":\"done\"").body())
        .contains("\"status\":\"completed\"");
  }

  @Test
  @DisplayName("An operator ends it, and the claim of an operator is no agent's; an expired one is free")
  void operators() {
    bobClaims("freed", "300");
    String release = "{\"agent\":\"bobagent\",\"request_id\":\"o1\"}";
    assertThat(service.post("/tasks/freed/release", release).status()).isEqualTo(200);
    assertThat(service.post("/tasks/freed/start", "{\"agent\":\"bobagent\",\"request_id\":\"o2\"}").body())
        .contains("\"claimed_by\":\"bobagent\",\"claimed_at\"");
    assertThat(as("bob", "/freed/heartbeat", "b-freed", "").body()).contains("\"error\":\"claim_not_owned\"");

    bobClaims("short", "1");
    Await.until("it expires", () -> state("short").contains("\"claim_active\":false"));
    assertThat(as("lim", "/short/start", "l-short", "").body()).contains("\"claimed_with\":\"lim\"");
  }
}
