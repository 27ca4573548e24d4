package fleet.tower.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import com.sun.net.httpserver.HttpServer;

import fleet.tower.mcp.McpProxy.Server;

@DisplayName("The checking proxy")
class McpProxyTest {
  private static final String RESULT = """
      {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[],"structuredContent":{}}}""";
  private final List<HttpServer> servers = new ArrayList<>();
  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
  private final MessageCheck check = new MessageCheck();

  @AfterEach
  void stop() {
    servers.forEach(server -> server.stop(0));
  }

  private Server server(String name, String type, String... parts) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    servers.add(server);
    server.createContext("/mcp", exchange -> {
      seen.add(name + " " + exchange.getRequestHeaders().getFirst("Authorization"));
      exchange.getRequestBody().readAllBytes();
      exchange.getResponseHeaders().add("Content-Type", type);
      exchange.sendResponseHeaders(200, 0);
      try (OutputStream out = exchange.getResponseBody()) {
        for (String part : parts) {
          out.write(part.getBytes(StandardCharsets.UTF_8));
          out.flush();
        }
      }
    });
    server.start();
    return new Server("http://127.0.0.1:" + server.getAddress().getPort(), "token-" + name);
  }

  @Test
  @DisplayName("alternates between servers, adds each server's token, and checks messages and events")
  void turns() throws IOException {
    try (McpProxy proxy = new McpProxy(check, server("a", "application/json", RESULT),
        server("b", "text/event-stream", ": alive\n\n", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifi",
            "cations/none\"}\n\n", "data: " + RESULT + "\n\n"));
        McpCaller caller = new McpCaller(proxy.url(), "mine", new MessageCheck())) {
      caller.callTool("x", Map.of());
      caller.callTool("x", Map.of());
    }
    assertThat(seen).containsExactly("a Bearer token-a", "b Bearer token-b");
    assertThat(check.mistakes()).singleElement().asString().contains("no schema has the notification");
    assertThat(check.seen()).contains("2026-07-28 CallToolResult");
  }

  @Test
  @DisplayName("loses one answer, after the server has performed the call")
  void loses() throws IOException {
    try (McpProxy proxy = new McpProxy(check, server("a", "application/json", RESULT));
        McpCaller caller = new McpCaller(proxy.url(), "mine", check)) {
      proxy.loseAnswerOf("this one");
      caller.callTool("another", Map.of());
      assertThatThrownBy(() -> caller.callTool("this one", Map.of())).isInstanceOf(IOException.class);
      caller.callTool("this one", Map.of());

      assertThat(proxy.lost()).isEqualTo(1);
      assertThat(seen).hasSize(3);
    }
    assertThat(check.mistakes()).isEmpty();
  }
}
