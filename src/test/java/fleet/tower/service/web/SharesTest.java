package fleet.tower.service.web;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Places;
import fleet.tower.fleet.OneHost;
import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.run.submit.Runs;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.access.TestTokens;

@OneHost("each host has its own places")
@DisplayName("Shares of callers in a service")
class SharesTest {
  private static final String MCP_ACCEPT = "application/json, text/event-stream";
  private static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":{}}";
  private static final List<String> WAITS = List.of("GET /audit/stream", "GET /overview/stream", "GET /runs/r/events",
      "GET /runs/r?wait", "POST /mcp wait_run", "POST /mcp subscriptions/listen");

  private final Path home;
  private final TestRunService bench;
  private final TestService service;
  private final List<Socket> sockets = new ArrayList<>();

  SharesTest(@TempDir Path home) {
    this.home = home;
    TestTokens.write(home, entry("vic", "viewer", "") + entry("ann", "agent", "") + entry("ben", "agent", ""));
    bench = new TestRunService(home, "--tower.runs.max-concurrent=8", "--tower.calls.max-waiting=24");
    service = bench.service;
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    service.close();
  }

  private Places waiting() {
    return service.parts(WaitingCalls.class).values().iterator().next().places();
  }

  private Places running() {
    return service.parts(Runs.class).values().iterator().next().places();
  }

  /** The number of places by name of their holder. */
  private static Map<String, Integer> byName(Places places) {
    Map<String, Integer> names = new TreeMap<>();
    places.holdings().forEach(it -> names.put(it.holder().name(), it.places()));
    return names;
  }

  private Answer run(String token, String id) {
    return service.callAs(token, "POST", "/intents/wait",
        "{\"params\":{\"lock\":\"" + id + "\"},\"request_id\":\"" + id + "\"}", "Prefer", "respond-async");
  }

  /** Sends a call that waits, on a connection of its own, and does not read the answer. */
  private Socket begin(String name, String what) throws IOException {
    String[] words = what.split("[ ?]", -1);
    String body = switch (words[words.length - 1]) {
      case "wait_run" -> mcp("tools/call", "\"name\":\"wait_run\",\"arguments\":{\"request_id\":\"r\"}");
      case "subscriptions/listen" -> mcp("subscriptions/listen", "\"notifications\":{\"toolsListChanged\":true}");
      default -> "";
    };
    String headers = switch (words[words.length - 1]) {
      case "wait_run" -> "Mcp-Method: tools/call\r\nMcp-Name: wait_run\r\n";
      case "subscriptions/listen" -> "Mcp-Method: subscriptions/listen\r\n";
      case "wait" -> "Prefer: wait=600\r\n";
      default -> "";
    };
    boolean isMcp = words[1].equals("/mcp");
    URI url = URI.create(service.url());
    Socket socket = new Socket(url.getHost(), url.getPort());
    sockets.add(socket);
    socket.getOutputStream().write((words[0] + " " + words[1] + " HTTP/1.1\r\nHost: localhost:" + url.getPort()
        + "\r\nAuthorization: Bearer " + tokenOf(name) + "\r\nAccept: "
        + (isMcp ? MCP_ACCEPT : what.endsWith("wait") ? "application/json" : "text/event-stream") + "\r\n"
        + (isMcp ? "MCP-Protocol-Version: 2026-07-28\r\nContent-Type: application/json\r\n" : "") + headers
        + "Content-Length: " + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.UTF_8));
    return socket;
  }

  private static String mcp(String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{" + params + "," + META + "}}";
  }

  /** The first bytes of an answer. */
  private static String answer(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder text = new StringBuilder();
    while (!text.toString().contains("}")) {
      int read = in.read();
      if (read < 0) {
        break;
      }
      text.append((char) read);
    }
    return text.toString();
  }

  @Test
  @DisplayName("A caller takes a quarter of the waiting calls, of whatever kind, and others and operators go on")
  @ProofsProfile
  void calls() throws Exception {
    assertThat(run(tokenOf("ann"), "r").status()).isEqualTo(202);
    for (String wait : WAITS) {
      int before = waiting().taken();
      begin("vic", wait);
      Await.until(wait + " has a place", () -> waiting().taken() == before + 1);
    }
    for (String wait : WAITS) {
      assertThat(answer(begin("vic", wait))).as(wait)
          .contains("you have as many calls that wait or stream here as one caller may have: 6",
              "too_many_waiting_calls");
    }
    assertThat(byName(waiting())).isEqualTo(Map.of("vic", 6));
    Answer refused = service.callAs(tokenOf("vic"), "GET", "/audit/stream", "");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.header("Retry-After")).isEqualTo("5");
    assertThat(refused.body()).contains("\"limit\":6", "tower.callers.max-share sets the share of a caller");

    for (String name : List.of("ann", "ben")) {
      for (int i = 0; i < 6; i++) {
        begin(name, "GET /audit/stream");
      }
    }
    Await.until("they have their share", () -> waiting().taken() == 18);
    assertThat(service.get("/actuator/prometheus").body()).contains("tower_waiting_calls{role=\"viewer\"} 6.0\n",
        "tower_waiting_calls{role=\"agent\"} 12.0\n", "tower_waiting_calls{role=\"operator\"} 0.0\n",
        "tower_waiting_calls_largest{name=\"ann\",role=\"agent\"} 6.0\n",
        "tower_waiting_calls_largest{name=\"vic\",role=\"viewer\"} 6.0\n",
        "tower_requested_runs{role=\"agent\"} 1.0\n", "tower_requested_runs{role=\"service\"} 0.0\n",
        "tower_requested_runs_largest{name=\"ann\",role=\"agent\"} 1.0\n");
    assertThat(service.post("/intents/say", "{}").status()).as("an operator's run").isEqualTo(200);
    assertThat(service.get("/overview").body()).contains("\"callers\":["
        + "{\"name\":\"ann\",\"role\":\"agent\",\"waiting_calls\":6,\"requested_runs\":1},"
        + "{\"name\":\"ben\",\"role\":\"agent\",\"waiting_calls\":6,\"requested_runs\":0},"
        + "{\"name\":\"vic\",\"role\":\"viewer\",\"waiting_calls\":6,\"requested_runs\":0}]}");
    Answer ofViewer = service.callAs(tokenOf("vic"), "GET", "/overview", "");
    assertThat(ofViewer.status()).as("not a wait").isEqualTo(200);
    assertThat(ofViewer.body()).doesNotContain("\"callers\"");
  }

  @Test
  @DisplayName("Broken connections, withdrawn and refused waits give their places back")
  void givenBack() throws Exception {
    assertThat(run(tokenOf("ann"), "r").status()).isEqualTo(202);
    for (String wait : WAITS) {
      begin("vic", wait);
    }
    Await.until("all wait", () -> waiting().taken() == WAITS.size());
    for (Socket socket : sockets) {
      // Without a farewell, as if the client's machine were gone: the next write finds a closed connection.
      socket.setSoLinger(true, 0);
      socket.close();
    }
    Await.until("streams and calls of models have given back theirs", () -> waiting().taken() == 1);
    Files.createFile(home.resolve("go-r"));
    Await.until("the plain wait has ended with the run", () -> waiting().taken() == 0);

    for (int i = 0; i < 30; i++) {
      assertThat(service.callAs(tokenOf("vic"), "GET", "/tasks/none/events", "", "Accept", "text/event-stream")
          .status()).isEqualTo(404);
      assertThat(service.callAs(tokenOf("vic"), "GET", "/runs/none/events", "", "Accept", "text/event-stream")
          .status()).isEqualTo(404);
      assertThat(service.callAs(tokenOf("ann"), "POST", "/locks/r", "{\"wait_seconds\":1,\"ttl_seconds\":-1}")
          .status()).isEqualTo(400);
      assertThat(service.callAs(tokenOf("ann"), "POST", "/intents/none", "{}").status()).isEqualTo(404);
    }
    assertThat(waiting().taken()).isZero();
  }

  @Test
  @DisplayName("A caller takes a quarter of the runs; others and operators go on, and ended runs make room")
  void runs() throws Exception {
    assertThat(run(tokenOf("ann"), "a1").status()).isEqualTo(202);
    assertThat(run(tokenOf("ann"), "a2").status()).isEqualTo(202);
    Answer refused = run(tokenOf("ann"), "a3");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.header("Retry-After")).isEqualTo("5");
    assertThat(refused.body()).contains("\"error\":\"too_many_runs\"", "\"limit\":2",
        "you have as many runs that are active or waiting for their locks as one caller may have: 2",
        "tower.callers.max-share");
    assertThat(service.get("/runs/a3").status()).isEqualTo(404);
    assertThat(run(tokenOf("ann"), "a1").status()).as("a repeated request").isEqualTo(202);
    assertThat(run(tokenOf("ben"), "b1").status()).isEqualTo(202);
    assertThat(run(service.token(), "o1").status()).isEqualTo(202);
    assertThat(byName(running())).containsEntry("ann", 2).containsEntry("ben", 1);

    for (String id : List.of("a1", "a2", "b1", "o1")) {
      Files.createFile(home.resolve("go-" + id));
    }
    Await.until("all have ended", () -> running().taken() == 0);
    assertThat(run(tokenOf("ann"), "a3").status()).isEqualTo(202);
    Files.createFile(home.resolve("go-a3"));
  }
}
