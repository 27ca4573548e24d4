package fleet.tower.service.web;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.access.TestTokens;

@DisplayName("The containment of callers of a service")
class ContainmentCallsTest {
  private static final String MCP = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
      + "\"acquire_lock\",\"arguments\":{\"lock_name\":\"prod\"},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
      + "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
  @AutoClose
  private final TestService service;

  ContainmentCallsTest(@TempDir Path home) throws IOException {
    TestService.declare(home, "wipe", """
        mode: observe
        params: { n: { type: integer, default: 1 } }
        steps: [{ name: s, run: [echo, x] }]
        """);
    TestService.declare(home, "ship", "mode: observe\napprove: { n: 1 }\nsteps: [{ name: s, run: [echo, x] }]\n");
    TestTokens.write(home, entry("claude-1", "agent", "intents: [ping, wipe]\nlocks: [ci-*]")
        + entry("claude-2", "agent", "") + entry("ci", "agent", "locks: [ci-*]"));
    Files.writeString(home.resolve("config/policy.yaml"), """
        values: [ { name: few, intents: [wipe], params: { n: { maximum: 10 } } } ]
        contain: [ { name: bots, actors: ["claude-*"], refusals: 4/10m, level: drain, for: 1h } ]
        """);
    service = new TestService(home);
  }

  private Answer call(String name, String method, String path, String body, String... headers) {
    return service.callAs(tokenOf(name), method, path, body, headers);
  }

  private String halts() {
    return service.get("/halts").body();
  }

  @Test
  @DisplayName("AISVS 9.3.8 Refusals over HTTP and MCP, by token and policy, count together; with the last one the caller is "
      + "halted, until an operator lifts it")
  void halted() {
    assertThat(call("claude-1", "POST", "/intents/deploy", "{}").status()).isEqualTo(403);
    assertThat(call("claude-1", "POST", "/mcp", MCP, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call",
        "Mcp-Name", "acquire_lock").body()).contains("lock_not_allowed");
    assertThat(call("claude-1", "POST", "/intents/wipe", "{\"params\":{\"n\":11}}").body())
        .contains("params_not_allowed");
    assertThat(halts()).doesNotContain("claude-1");
    assertThat(call("claude-1", "PUT", "/halts/mine", "{\"all\":true,\"reason\":\"x\"}").status()).isEqualTo(403);

    Answer refused = call("claude-1", "POST", "/locks/ci-1", "{}");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body()).contains("\"error\":\"halted\"", "\"halt\":\"contain-bots-claude-1\"",
        "\"halted_by\":\"policy\"", "rule bots of the policy: 4 refusals in 10m");
    assertThat(call("claude-1", "POST", "/intents/wipe", "{}").body()).contains("\"error\":\"halted\"");
    assertThat(call("claude-2", "POST", "/locks/ci-2", "{}").status()).isEqualTo(201);
    assertThat(service.get("/audit?event=halt_placed").body()).containsOnlyOnce("\"event\":\"halt_placed\"")
        .contains("\"actor\":\"policy\"", "\"level\":\"drain\"");

    assertThat(service.call("DELETE", "/halts/contain-bots-claude-1", "").status()).isEqualTo(200);
    assertThat(call("claude-1", "POST", "/locks/prod", "{}").status()).isEqualTo(403);
    assertThat(call("claude-1", "POST", "/locks/ci-1", "{}").status()).isEqualTo(201);
  }

  @Test
  @DisplayName("AISVS 9.2.9 Without the right to approve no token has a vote, not even the operator's; its attempts count")
  void votes() {
    assertThat(call("claude-2", "POST", "/intents/ship", "{\"request_id\":\"r1\"}", "Prefer", "respond-async").body())
        .contains("\"status\":\"awaiting_approval\"");
    String vote = "{\"decision\":\"reject\"}";
    for (int i = 0; i < 4; i++) {
      Answer refused = call("claude-1", "POST", "/approvals/r1/votes", vote);
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.body()).contains("\"reason\":\"approval_not_allowed\"");
    }
    assertThat(service.post("/approvals/r1/votes", vote).body()).contains("\"reason\":\"approval_not_allowed\"");
    assertThat(service.get("/approvals/r1").body()).contains("\"state\":\"open\"");
    assertThat(halts()).contains("\"contain-bots-claude-1\"");
  }

  @Test
  @DisplayName("No caller halts another: neither by X-Actor, nor with a token that is unknown")
  void pretended() {
    for (int i = 0; i < 5; i++) {
      assertThat(service.callAs("claude-2-unknown", "POST", "/locks/prod", "{}").status()).isEqualTo(401);
      call("ci", "POST", "/locks/prod", "{}", "X-Actor", "claude-2");
    }
    assertThat(call("claude-2", "POST", "/locks/ci-2", "{}").status()).isEqualTo(201);
    assertThat(halts()).contains("\"contain-bots-ci\"").doesNotContain("contain-bots-claude");
  }
}
