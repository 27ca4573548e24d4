package fleet.tower.service.mcp.http;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.fleet.OneHost;
import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.access.TestTokens;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The endpoint of the Model Context Protocol")
class McpCallsTest {
  private static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":{}}";
  private static final String ACCEPT = "application/json, text/event-stream";
  private static final String TOKENS = entry("ann", "agent", "");

  private Path home;
  @AutoClose
  private TestService service;

  @BeforeAll
  void start(@TempDir Path home) {
    this.home = home;
    TestTokens.write(home, TOKENS);
    service = new TestService(home, TestFeature.SOURCE);
  }

  /** The calls that wait. */
  private static int waiting(TestService service) {
    return service.partOfEach(TestFeature.Methods.class).stream().mapToInt(methods -> methods.waiting.get()).sum();
  }

  /** The calls that were cancelled. */
  private static int cancelled(TestService service) {
    return service.partOfEach(TestFeature.Methods.class).stream().mapToInt(methods -> methods.cancelled.get()).sum();
  }

  private static String request(String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{" + params + "}}";
  }

  private static String modern(String method, String params) {
    return request(method, params + (params.isEmpty() ? "" : ",") + META);
  }

  private static String[] headers(String method, String... more) {
    String[] headers = {"Accept", ACCEPT, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method};
    String[] all = Arrays.copyOf(headers, headers.length + more.length);
    System.arraycopy(more, 0, all, headers.length, more.length);
    return all;
  }

  /** Makes a modern call as an agent. */
  private Answer call(String method, String params) {
    return service.callAs(tokenOf("ann"), "POST", "/mcp", modern(method, params), headers(method));
  }

  @Test
  @DisplayName("A modern request is answered with JSON, and the caller acts through this door")
  void modernCall() {
    Answer answer = call("test/me", "");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).startsWith("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\","
        + "\"name\":\"ann\",\"door\":\"mcp\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"
        + "{\"name\":\"tower-executor\",");
    assertThat(answer.header("Content-Type")).isEqualTo("application/json");
    assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
    assertThat(call("test/you", "").status()).isEqualTo(404);
    assertThat(service.callAs(tokenOf("ann"), "POST", "/mcp", modern("test/me", ""), headers("test/you")).status())
        .isEqualTo(400);
  }

  @Test
  @DisplayName("A legacy client begins with a handshake, and gets no session")
  void legacy() {
    Answer hello = service.callAs(tokenOf("ann"), "POST", "/mcp",
        request("initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}"), "Accept", ACCEPT);
    assertThat(hello.status()).isEqualTo(200);
    assertThat(hello.body()).contains("\"protocolVersion\":\"2025-11-25\"");
    assertThat(hello.header("Mcp-Session-Id")).isEmpty();
    Answer known = service.callAs(tokenOf("ann"), "POST", "/mcp",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", "MCP-Protocol-Version", "2025-11-25");
    assertThat(known.status()).isEqualTo(202);
    assertThat(known.body()).isEmpty();
    assertThat(service.callAs(tokenOf("ann"), "POST", "/mcp", request("ping", "")).body())
        .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    assertThat(service.callAs(tokenOf("ann"), "POST", "/mcp", "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}").status())
        .isEqualTo(202);
  }

  @Test
  @DisplayName("An invalid message gets 400 with a JSON-RPC error")
  void invalid() {
    for (String body : List.of("{", "[]", "", "{\"jsonrpc\":\"2.0\",\"method\":\"tools/list\"}")) {
      Answer answer = service.callAs(tokenOf("ann"), "POST", "/mcp", body);
      assertThat(answer.status()).as(body).isEqualTo(400);
      assertThat(answer.body()).startsWith("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32");
    }
    assertThat(service.callAs(tokenOf("ann"), "POST", "/mcp", "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}",
        "MCP-Protocol-Version", "2026-07-28").status()).isEqualTo(400);
  }

  @ParameterizedTest
  @DisplayName("Other methods are not supported: there is no session to read or to end")
  @CsvSource({"GET", "DELETE", "PUT"})
  void otherMethods(String method) {
    Answer answer = service.callAs(tokenOf("ann"), method, "/mcp", "");
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.header("Allow")).isEqualTo("POST");
  }

  @Test
  @DisplayName("Bodies are bounded, uncompressed and JSON, like those of all calls")
  void bodies() {
    String large = modern("test/me", "\"a\":\"" + "x".repeat(1024 * 1024) + "\"");
    assertThat(service.callAs(tokenOf("ann"), "POST", "/mcp", large).status()).isEqualTo(413);
    assertThat(service.call("POST", "/mcp", "{}", "Content-Type", "text/plain").status()).isEqualTo(415);
    assertThat(service.call("POST", "/mcp", "{}", "Content-Type", "application/json", "Content-Encoding", "gzip")
        .status()).isEqualTo(415);
    assertThat(service.post("/mcp?x=1", "{}").body()).contains("this call has no parameter 'x' in its query");
    assertThat(service.callAs(tokenOf("ann"), "POST", "/mcp", "{}", "Accept", "image/png").status()).isEqualTo(406);
    assertThat(service.callAs(tokenOf("ann"), "POST", "/mcp", "{}", "Accept", "?").status()).isEqualTo(406);
    assertThat(service.callAs(tokenOf("ann"), "POST", "/mcp", modern("subscriptions/listen", ""), "Accept",
        "application/json", "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen").status())
        .as("a subscription without a stream").isEqualTo(406);
  }

  @Test
  @DisplayName("Notifications before the answer make the response a stream that proxies do not buffer")
  void stream() {
    Answer answer = call("test/notify", "");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Content-Type")).isEqualTo("text/event-stream");
    assertThat(answer.header("X-Accel-Buffering")).isEqualTo("no");
    assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
    assertThat(answer.body()).matches("""
        event: message
        data: \\{"jsonrpc":"2.0","method":"notifications/test","params":\\{"n":1}}

        event: message
        data: \\{"jsonrpc":"2.0","method":"notifications/test","params":\\{"n": 2}}

        event: message
        data: \\{"jsonrpc":"2.0","id":1,"result":\\{"resultType":"complete","sent":2,.*}}

        """);
    Answer whole = service.callAs(tokenOf("ann"), "POST", "/mcp", request("test/notify", ""), "Accept",
        "application/json");
    assertThat(whole.header("Content-Type")).isEqualTo("application/json");
    assertThat(whole.body()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sent\":2}}");
  }

  @Test
  @DisplayName("401 names the OAuth metadata of this endpoint, and says whether a token was sent")
  void unauthorized() {
    String metadata = "Bearer resource_metadata=\"" + service.url() + "/.well-known/oauth-protected-resource/mcp\"";
    Answer none = service.callAs("", "POST", "/mcp", "{}");
    assertThat(none.status()).isEqualTo(401);
    assertThat(none.header("WWW-Authenticate")).isEqualTo(metadata);
    Answer wrong = service.callAs("wrong", "POST", "/mcp", "{}");
    assertThat(wrong.status()).isEqualTo(401);
    assertThat(wrong.header("WWW-Authenticate")).isEqualTo(metadata + ", error=\"invalid_token\"");
    assertThat(service.callAs("", "GET", "/locks", "").header("WWW-Authenticate")).isEqualTo("Bearer");
  }

  @Test
  @DisplayName("The OAuth metadata need no token; without an issuer they say where tokens come from")
  void metadata() {
    for (String path : List.of("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp")) {
      Answer answer = service.send(service.request(path).build());
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("{\"resource\":\"" + service.url() + "/mcp\",\"authorization_servers\":[],"
          + "\"bearer_methods_supported\":[\"header\"],\"resource_name\":\"Tower Executor\","
          + "\"tower_token\":\"tokens come from `tower token create NAME --role agent` on the service's host\"}");
    }
    assertThat(service.send(service.request("/.well-known/oauth-protected-resource/x").build()).status())
        .isEqualTo(401);
  }

  /** Sends a request with a token or none, and returns the status line and the rest. */
  private String raw(String path, String host, String token, String headers, String body) throws IOException {
    try (Socket socket = open(path, host, token, headers, body); InputStream in = socket.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private Socket open(String path, String host, String token, String headers, String body) throws IOException {
    URI url = URI.create(service.url());
    Socket socket = new Socket(url.getHost(), url.getPort());
    socket.setSoTimeout((int) Await.LIMIT.toMillis());
    OutputStream out = socket.getOutputStream();
    out.write(("POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n"
        + (token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n") + "Content-Type: application/json\r\n"
        + headers + "Content-Length: " + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
    out.flush();
    return socket;
  }

  @ParameterizedTest
  @DisplayName("A foreign host is refused before the token, in every spelling of the path")
  @CsvSource({"/mcp", "/%6dcp", "/mcp;x=1", "/./mcp", "//mcp", "/x/../mcp", "/.well-known/oauth-protected-resource"})
  void foreignHost(String path) throws Exception {
    assertThat(raw(path, "evil.example.com", "", "", "{}")).startsWith("HTTP/1.1 403").endsWith(
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"this service is not called 'evil.example.com';"
            + " tower.mcp.allowed-hosts can allow that name\",\"data\":{\"error\":\"forbidden\"}}}");
  }

  @Test
  @DisplayName("A page of a foreign origin is refused before the token; a local one is not")
  void foreignOrigin() throws Exception {
    String ping = request("ping", "");
    assertThat(raw("/mcp", "localhost", "", "Origin: https://evil.example.com\r\n", ping)).startsWith("HTTP/1.1 403")
        .endsWith("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"web pages of"
            + " 'https://evil.example.com' may not call this service; tower.mcp.allowed-origins can allow them\","
            + "\"data\":{\"error\":\"forbidden\"}}}");
    assertThat(raw("/mcp", "localhost", tokenOf("ann"), "Origin: http://localhost:1\r\nOrigin: null\r\n", ping))
        .startsWith("HTTP/1.1 403");
    assertThat(raw("/mcp", "localhost", tokenOf("ann"), "Origin: http://localhost:6274\r\n", ping))
        .startsWith("HTTP/1.1 200");
    assertThat(raw("/mcp", "localhost", "", "Origin: http://localhost:6274\r\n", ping)).startsWith("HTTP/1.1 401");
    assertThat(raw("/locks/x", "evil.example.com", "", "", "{}")).as("other calls").startsWith("HTTP/1.1 401");
  }

  @Test
  @DisplayName("An allowed page gets the headers that its browser needs, and a preflight needs no token")
  void crossOrigin(@TempDir Path other) {
    String page = "https://chat.example.com";
    try (TestService open = new TestService(other, "--tower.mcp.allowed-origins=" + page)) {
      Answer preflight = open.callAs("", "OPTIONS", "/mcp", "", "Origin", page, "Access-Control-Request-Method", "POST",
          "Access-Control-Request-Headers", "authorization,mcp-method");
      assertThat(preflight.status()).isEqualTo(204);
      assertThat(preflight.header("Access-Control-Allow-Origin")).isEqualTo(page);
      assertThat(preflight.header("Access-Control-Allow-Methods")).isEqualTo("GET, POST");
      assertThat(preflight.header("Access-Control-Allow-Headers")).contains("Authorization", "Mcp-Method");
      Answer answer = open.callAs(open.token(), "POST", "/mcp", request("ping", ""), "Origin", page);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("Access-Control-Allow-Origin")).isEqualTo(page);
      assertThat(answer.header("Vary")).contains("Origin");
      assertThat(answer.header("Access-Control-Allow-Credentials")).isEmpty();
      Answer foreign = open.callAs("", "OPTIONS", "/mcp", "", "Origin", "https://evil.example.com",
          "Access-Control-Request-Method", "POST");
      assertThat(foreign.status()).isEqualTo(403);
      assertThat(foreign.header("Access-Control-Allow-Origin")).isEmpty();
      assertThat(open.callAs("", "OPTIONS", "/mcp", "", "Origin", page).status()).as("no preflight").isEqualTo(401);
      assertThat(open.callAs("", "OPTIONS", "/locks", "", "Origin", page, "Access-Control-Request-Method", "GET")
          .status()).as("other calls").isEqualTo(401);
    }
  }

  @ParameterizedTest
  @DisplayName("A client that disconnects, before or after the stream has started, ends the wait")
  @CsvSource({"true", "false"})
  void disconnects(boolean isStream) throws Exception {
    int before = cancelled(service);
    try (Socket socket = open("/mcp", "localhost", tokenOf("ann"), "", request("test/wait",
        isStream ? "\"send\":\"yes\"" : ""))) {
      Await.until("it waits", () -> waiting(service) == 1);
      if (isStream) {
        assertThat(socket.getInputStream().read()).isPositive();
      }
    }
    Await.until("it is cancelled", () -> cancelled(service) == before + 1);
  }

  @Test
  @DisplayName("A revoked token ends waits with 401, and streams with an error; results are withheld")
  void revoked() {
    TestTokens.write(home, TOKENS + entry("eve", "agent", ""));
    Await.until("the token is known", () -> service.callAs(tokenOf("eve"), "GET", "/locks", "").status() == 200);
    CompletableFuture<Answer> whole = later(service, tokenOf("eve"), "");
    CompletableFuture<Answer> stream = later(service, tokenOf("eve"), "\"send\":\"yes\"");
    Await.until("both wait", () -> waiting(service) == 2);
    TestTokens.write(home, TOKENS);
    assertThat(whole.join().status()).isEqualTo(401);
    assertThat(whole.join().header("WWW-Authenticate")).contains("error=\"invalid_token\"");
    assertThat(stream.join().status()).isEqualTo(200);
    assertThat(stream.join().body()).contains("\"error\":{\"code\":-32602,",
        "your token was revoked or has expired while the call waited", "\"data\":{\"error\":\"unauthorized\"")
        .doesNotContain("secret");
  }

  private static CompletableFuture<Answer> later(TestService service, String token, String params) {
    return CompletableFuture.supplyAsync(() -> service.callAs(token, "POST", "/mcp", modern("test/wait", params),
        headers("test/wait")));
  }

  @Test
  @DisplayName("When the service stops, waits end and are answered")
  void stops(@TempDir Path other) {
    TestService stopping = new TestService(other, TestFeature.SOURCE);
    CompletableFuture<Answer> waiting = later(stopping, stopping.token(), "");
    Await.until("it waits", () -> waiting(stopping) == 1);
    stopping.close();
    assertThat(waiting.join().body()).contains("\"secret\":\"result\"");
  }

  @Test
  @DisplayName("What a method may not do is audited as a refusal through this door")
  void audited() {
    assertThat(call("test/forbid", "").body()).contains("\"code\":-32602", "\"error\":\"forbidden\"",
        "\"required_role\":\"operator\"");
    assertThat(service.get("/audit?event=access_denied").body()).contains(
        "\"path\":\"/mcp\",\"mcp_method\":\"test/forbid\",\"arguments\":\"{}\",\"reason\":\"role_too_low\","
            + "\"actor\":\"ann\",\"door\":\"mcp\"");
  }

  private static HttpResponse<InputStream> listen(TestService service) {
    try {
      return service.client().send(
          service.request("/mcp").header("Authorization", "Bearer " + service.token())
              .header("Content-Type", "application/json").headers(headers("subscriptions/listen"))
              .POST(BodyPublishers.ofString(modern("subscriptions/listen",
                  "\"notifications\":{\"toolsListChanged\":true}")))
              .build(),
          BodyHandlers.ofInputStream());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The status of a subscription that ends at once. */
  private static int listened(TestService service) {
    HttpResponse<InputStream> response = listen(service);
    try (InputStream _ = response.body()) {
      return response.statusCode();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @OneHost("each host has the limit")
  @Test
  @DisplayName("Subscriptions count among the waiting calls; requests do not")
  void bounded(@TempDir Path other) throws Exception {
    try (TestService small = new TestService(other, "--tower.calls.max-waiting=1")) {
      try (InputStream first = listen(small).body()) {
        assertThat(first.read()).isEqualTo('e');
        HttpResponse<InputStream> second = listen(small);
        assertThat(second.statusCode()).isEqualTo(429);
        assertThat(new String(second.body().readAllBytes(), StandardCharsets.UTF_8))
            .contains("\"error\":\"too_many_waiting_calls\"");
        assertThat(small.callAs(small.token(), "POST", "/mcp", request("ping", "")).status()).isEqualTo(200);
      }
      Await.until("the place is free", () -> listened(small) == 200);
    }
  }

  @Test
  @DisplayName("A service without the endpoint has neither path")
  void disabled(@TempDir Path other) {
    try (TestService without = new TestService(other, "--tower.mcp.enabled=false")) {
      assertThat(without.post("/mcp", request("ping", "")).status()).isEqualTo(404);
      assertThat(without.get("/.well-known/oauth-protected-resource").status()).isEqualTo(404);
      assertThat(without.callAs("", "POST", "/mcp", "{}").header("WWW-Authenticate")).isEqualTo("Bearer");
    }
  }
}
