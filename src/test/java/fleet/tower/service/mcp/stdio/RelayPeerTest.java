package fleet.tower.service.mcp.stdio;

import static fleet.tower.service.mcp.stdio.ClientMessages.cancelled;
import static fleet.tower.service.mcp.stdio.ClientMessages.initialize;
import static fleet.tower.service.mcp.stdio.ClientMessages.legacy;
import static fleet.tower.service.mcp.stdio.ClientMessages.modern;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.home.Home;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.remote.Server;
import fleet.tower.remote.Token;

@DisplayName("tower mcp as a relay to a service")
class RelayPeerTest {
  private static final String RESULT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";

  private final ManualTime time = new ManualTime();
  private final FakeService service = new FakeService();
  private final OutputStream out;
  private final BufferedReader in;
  private final CompletableFuture<Void> ended;
  private volatile Server server = new Server(service.url(), Token.given("tower_secret"), "agent-7");

  RelayPeerTest(@TempDir Path home) throws IOException {
    Pipe requests = Pipe.open();
    Pipe answers = Pipe.open();
    out = Channels.newOutputStream(requests.sink());
    in = new BufferedReader(Channels.newReader(answers.source(), StandardCharsets.UTF_8));
    ended = CompletableFuture.runAsync(() -> {
      try (Home files = new Home(home, Map.of(), _ -> {}, Home.Listener.NONE)) {
        new StdioServer(Channels.newInputStream(requests.source()),
            Channels.newOutputStream(answers.sink()), (_, _) -> {
              throw new AssertionError("a relay uses no files");
            }, _ -> time)
            .relay(() -> server, files, _ -> {}, warning -> {
              throw new AssertionError(warning);
            });
      }
    });
  }

  @AfterEach
  void end() throws Exception {
    out.close();
    service.close();
    ended.get();
  }

  private void send(String line) throws IOException {
    out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static String call(String arguments) {
    return modern(1, "tools/call", "\"name\":\"deploy_app\",\"arguments\":{" + arguments + "}");
  }

  @Test
  @DisplayName("A request is posted as it is, with the token and the headers that repeat its body")
  void headers() throws Exception {
    String request = modern(1, "tools/call", "\"name\":\"deploy_ü\"");
    send(request);

    FakeService.Call call = service.next();
    assertThat(call.head().first()).isEqualTo("POST /mcp HTTP/1.1");
    assertThat(call.body()).isEqualTo(request);
    assertThat(call.head().headers()).containsEntry("Authorization", "Bearer tower_secret")
        .containsEntry("X-Actor", "agent-7").containsEntry("Content-Type", "application/json")
        .containsEntry("Accept", "application/json, text/event-stream")
        .containsEntry("MCP-Protocol-Version", "2026-07-28").containsEntry("Mcp-Method", "tools/call")
        .containsEntry("Mcp-Name", "=?base64?ZGVwbG95X8O8?=");
    call.answer(200, "application/json", "{\"jsonrpc\":\"2.0\",\n \"id\":1,\"result\":{}}\n");
    assertThat(in.readLine()).isEqualTo("{\"jsonrpc\":\"2.0\",  \"id\":1,\"result\":{}}");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', value = {"us-west1 | us-west1",
      "Hello, 世界 | =?base64?SGVsbG8sIOS4lueVjA==?=", "~ padded ~ | =?base64?IHBhZGRlZCA=?=",
      "=?base64?literal?= | =?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="})
  @DisplayName("A header value is encoded as the specification shows")
  void encoded(String value, String header) {
    assertThat(RelayedRequest.encoded(value)).isEqualTo(header);
  }

  @Test
  @DisplayName("After the older handshake, requests name the revision that the service chose")
  void legacyRevision() throws Exception {
    send(initialize(1));
    FakeService.Call handshake = service.next();
    assertThat(handshake.head().headers()).doesNotContainKeys("MCP-Protocol-Version", "Mcp-Method");
    handshake.answer(200, "application/json",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\"}}");
    in.readLine();

    send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    send(legacy(2, "ping", ""));
    FakeService.Call ping = service.next();
    assertThat(ping.body()).contains("\"ping\"");
    assertThat(ping.head().headers()).containsEntry("MCP-Protocol-Version", "2025-11-25")
        .doesNotContainKey("Mcp-Method");
    ping.answer(200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    assertThat(in.readLine()).contains("\"id\":2");
  }

  @Test
  @DisplayName("The events of a stream come as lines, while another request is answered")
  void events() throws Exception {
    send(call(""));
    FakeService.Call call = service.next();
    call.beginEvents();
    call.write("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}\n\n");
    assertThat(in.readLine()).contains("notifications/progress");
    send(modern(2, "tools/list", ""));
    service.next().answer(200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    assertThat(in.readLine()).contains("\"id\":2");
    call.write(": alive\n\nevent: message\ndata: " + RESULT + "\n\n");
    assertThat(in.readLine()).isEqualTo(RESULT);
    call.awaitClosed();
  }

  @Test
  @DisplayName("A cancelled request's connection is closed, before its response and during it, and it gets no answer")
  void cancels() throws Exception {
    send(call(""));
    FakeService.Call silent = service.next();
    send(cancelled(1));
    silent.awaitClosed();

    send(modern(2, "subscriptions/listen", ""));
    FakeService.Call stream = service.next();
    stream.beginEvents();
    send(cancelled(2));
    stream.awaitClosed();

    send(modern(3, "tools/list", ""));
    service.next().answer(200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
    assertThat(in.readLine()).contains("\"id\":3");
  }

  @Test
  @DisplayName("A lost connection is an error that says how to repeat the call; it is never repeated automatically")
  void cut() throws Exception {
    send(call("\"tower_request_id\":\"deploy-7\""));
    service.next().close();
    assertThat(in.readLine()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":"
        + "\"the connection to the service was lost before the answer. Work that has started continues. Send the same call with "
        + "the same tower_request_id again: it has no further effect\",\"data\":{\"error\":\"server_unavailable\","
        + "\"retryable\":true,\"tower_request_id\":\"deploy-7\"}}}");

    send(call("\"request_id\":\"lock-7\""));
    FakeService.Call stream = service.next();
    stream.beginEvents();
    stream.write("data: {\"jsonrpc\":");
    stream.close();
    assertThat(in.readLine()).contains("with the same request_id again");

    send(call(""));
    FakeService.Call partial = service.next();
    partial.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\"");
    partial.close();
    assertThat(in.readLine()).contains("the call had no tower_request_id: see list_runs and list_locks");
    send(modern(1, "tools/list", ""));
    service.next().close();
    assertThat(in.readLine()).contains("before the answer; send the request again");
    assertThat(service.hasNoCall()).isTrue();
  }

  @Test
  @DisplayName("An error of the protocol is passed on, with the id of the request if it has none")
  void protocolErrors() throws Exception {
    send(call(""));
    service.next().answer(404, "application/json",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}");
    assertThat(in.readLine())
        .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}");

    send(call(""));
    service.next().answer(400, "application/json",
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32020,\"message\":\"h\"}}");
    assertThat(in.readLine()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32020,\"message\":\"h\"}}");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
      "401 | {} | does not accept the token | \"error\":\"unauthorized\",\"retryable\":false",
      "403 | {\"error\":\"forbidden\",\"detail\":\"not you\"} | not you | \"error\":\"forbidden\",\"retryable\":false",
      "503 | {\"error\":\"shutting_down\",\"title\":\"stops\"} | stops | \"error\":\"shutting_down\",\"retryable\":true",
      "502 | <html> | answered 502, but not as a Tower service does | \"error\":\"server_unavailable\""})
  @DisplayName("A refusal of the service is an error with its code")
  void refusals(int status, String body, String message, String data) throws Exception {
    send(call(""));
    service.next().answer(status, "application/json", body);
    assertThat(in.readLine()).startsWith("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"")
        .contains(message, data);
  }

  @Test
  @DisplayName("A service that cannot be reached, and later can, is one error and then an answer with the new token")
  void unreachable() throws Exception {
    server = new Server(URI.create("http://127.0.0.1:1"), Token.given("tower_secret"), "agent-7");
    send(call("\"tower_request_id\":\"deploy-7\""));
    assertThat(in.readLine()).contains("cannot be reached", "\"error\":\"server_unavailable\",\"retryable\":true");

    server = new Server(service.url(), Token.given("tower_rotated"), "agent-7");
    send(call("\"tower_request_id\":\"deploy-7\""));
    FakeService.Call call = service.next();
    assertThat(call.head().headers()).containsEntry("Authorization", "Bearer tower_rotated");
    call.answer(200, "application/json", RESULT);
    assertThat(in.readLine()).isEqualTo(RESULT);
  }

  @Test
  @DisplayName("Garbage is answered without calling the service")
  void garbage() throws Exception {
    send("no JSON");
    assertThat(in.readLine()).contains("\"code\":-32700");
    send("[]");
    assertThat(in.readLine()).contains("\"code\":-32600");
    send("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}");
    assertThat(service.hasNoCall()).isTrue();
  }

  @Test
  @DisplayName("At the end of the input, a request without an answer is given a moment; then its connection is closed")
  void endOfInput() throws Exception {
    send(call("\"tower_request_id\":\"deploy-7\""));
    FakeService.Call call = service.next();
    send(modern(2, "tools/list", ""));
    FakeService.Call list = service.next();
    out.close();
    list.answer(200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    assertThat(in.readLine()).contains("\"id\":2");

    Duration moment = Duration.ofSeconds(1);
    Await.until("the moment has begun", () -> time.pendingDelays().contains(moment));
    time.advance(moment);
    call.awaitClosed();
    assertThat(in.readLine()).contains("the wait for the service has ended. Work that has started continues",
        "\"tower_request_id\":\"deploy-7\"");
    ended.get();
  }
}
