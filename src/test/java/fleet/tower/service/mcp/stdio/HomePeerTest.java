package fleet.tower.service.mcp.stdio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.audit.AuditTrail;
import fleet.tower.lease.Door;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.service.mcp.McpServer;
import fleet.tower.service.mcp.resource.McpHome;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.Revision;

class HomePeerTest {
  /** A method that only an operator may call. */
  private static final Feature OPERATORS = new Feature() {
    @Override
    public JsonWriter capabilities(Revision revision) {
      return JsonWriter.line();
    }

    @Override
    public Map<String, Method> methods(Revision revision) {
      return Map.of("test/operate", exchange -> {
        exchange.caller().require(Role.OPERATOR, "operate");
        return JsonWriter.line();
      });
    }
  };

  @Test
  @DisplayName("A refusal on the files of a home is audited with what was requested, and without an address")
  void audited(@TempDir Path root) {
    McpHome home = new McpHome(root);
    HomePeer peer = new HomePeer(McpServer.of(List.of(OPERATORS)),
        Caller.of("ann", Role.AGENT, Scope.ALL).through(Door.MCP), home.home(), home.engine());
    try (peer) {
      Peer.Begin request = (Peer.Begin) peer.read(
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"test/operate\",\"params\":{\"a\":1}}"
              .getBytes(StandardCharsets.UTF_8));
      assertThat(request.work().answer(_ -> {}, new Cancellation()).json()).contains("-32602", "may not operate");
    }

    AuditTrail.Query all = new AuditTrail.Query(null, null, null, null, null);
    assertThat(home.home().auditTrail().page(all, all.page(false, 10, null), 10_000).rows())
        .singleElement()
        .satisfies(entry -> assertThat(entry.line()).contains("\"event\":\"access_denied\"",
            "\"mcp_method\":\"test/operate\",\"arguments\":\"{\\\"a\\\":1}\",\"reason\":\"role_too_low\",",
            "\"actor\":\"ann\"", "\"door\":\"mcp\"").doesNotContain("remote", "\"path\""));
  }
}
