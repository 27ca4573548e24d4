package fleet.tower.service.web.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Role;
import fleet.tower.harness.Await;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.call.Needs;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Common behaviour of all calls")
class HttpFrameTest {
  private static final String JSON = "application/json";
  private static final int TOO_MUCH = 256 * 1024 + 1;
  @AutoClose
  private final TestService service;
  private int addresses;

  HttpFrameTest(@TempDir Path home) {
    service = new TestService(home);
  }

  /** An answer without its next actions, which every problem has; {@code OperationsTest} checks what they are. */
  private static String withoutActions(String answer) {
    assertThat(answer).containsPattern(",\"next_actions\":\\[\\{.*}]}$");
    return answer.replaceFirst(",\"next_actions\":\\[\\{.*}]}$", "}");
  }

  private static String problem(int status, String title, String error, String detail, String suggestion) {
    return """
        {"type":"about:blank","title":"%s","status":%d,"detail":"%s","error":"%s","suggestion":"%s"}"""
        .formatted(title, status, detail, error, suggestion);
  }

  private static void assertProblem(Answer answer, int status, String title, String error, String detail,
      String suggestion) {
    assertThat(withoutActions(answer.body())).isEqualTo(problem(status, title, error, detail, suggestion));
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
  }

  @ParameterizedTest
  @DisplayName("Without a known token an answer reveals nothing, not even whether a path exists")
  @ValueSource(strings = {"/locks", "/nowhere", "/audit", "/actuator", "/actuator/health/", "/actuator/health/db",
      "/actuator/health/liveness/x", "/actuator/health;x=1", "/locks/../actuator/health", "/error"})
  void unauthorized(String path) {
    addresses++;
    for (String authorization : new String[]{"", "Bearer", "Bearer ", "Bearer wrong", "Basic " + service.token(),
        service.token(), "Bearer " + service.token() + "x"}) {
      var request = service.request(path);
      Answer answer = service.sendFrom("127.0.1." + addresses,
          (authorization.isEmpty() ? request : request.header("Authorization", authorization)).build());
      boolean isToken = authorization.matches("Bearer .+");
      assertProblem(answer, 401, "Unauthorized", "unauthorized",
          isToken ? "the token is not known to this service" : "this call requires a token",
          "send a valid token in the header `Authorization: Bearer TOKEN`");
      assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer");
    }
  }

  @ParameterizedTest
  @DisplayName("Health needs no token")
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
      "/actuator/health | {\"groups\":[\"liveness\",\"readiness\"],\"status\":\"UP\"}",
      "/actuator/health/liveness | {\"status\":\"UP\"}",
      "/actuator/health/readiness | {\"components\":{\"audit\":{\"status\":\"UP\"},\"database\":{\"status\":\"UP\"},"
          + "\"heartbeats\":{\"details\":{\"failing\":0},\"status\":\"UP\"},"
          + "\"intents\":{\"status\":\"UP\"},\"lockDirectory\":{\"status\":\"UP\"},"
          + "\"policy\":{\"status\":\"UP\"},\"readinessState\":{\"status\":\"UP\"},\"replication\":{\"status\":\"UP\"},"
          + "\"store\":{\"details\":{\"locks\":\"files\"},\"status\":\"UP\"},\"tokens\":{\"status\":\"UP\"},\"workers\":{\"status\":\"UP\"}},\"status\":\"UP\"}"})
  void health(String path, String body) {
    // On a busy machine, an earlier answer may be that a check has none in time.
    Await.asserted("healthy", Await.LIMIT, () -> {
      Answer answer = service.send(service.request(path).build());
      assertThat(answer.body()).isEqualTo(body);
      assertThat(answer.status()).isEqualTo(200);
    });
  }

  @Test
  @DisplayName("The scheme of the token is case-insensitive")
  void scheme() {
    assertThat(service.send(service.request("/locks").header("Authorization", "bearer " + service.token()).build())
        .status()).isEqualTo(200);
  }

  @Test
  @DisplayName("X-Actor must be printable and short")
  void actor() {
    for (String actor : new String[]{" ", "a\tb", "a".repeat(513)}) {
      assertProblem(service.call("GET", "/locks", "", "X-Actor", actor), 400, "Bad Request", "invalid_request",
          "X-Actor must be 1 to 512 printable characters; leave it out to act on your own behalf",
          "correct the value and call again");
    }
    assertThat(service.call("GET", "/locks", "", "X-Actor", "a".repeat(512)).status()).isEqualTo(200);
  }

  @Test
  @DisplayName("An unknown path, method or type is a problem like every other")
  void refusedBySpring() {
    assertProblem(service.get("/nowhere"), 404, "Not Found", "not_found", "there is nothing at this path",
        "see GET /intents, GET /runs, GET /locks, GET /tasks, GET /mailboxes and GET /audit");
    assertProblem(service.get("/error"), 404, "Not Found", "not_found", "there is nothing at this path",
        "see GET /intents, GET /runs, GET /locks, GET /tasks, GET /mailboxes and GET /audit");

    Answer method = service.call("PUT", "/locks/prod", "");
    assertProblem(method, 405, "Method Not Allowed", "method_not_allowed", "this path does not support the method",
        "use one of the methods in the Allow header");
    assertThat(method.header("Allow").split(",")).extracting(String::strip)
        .containsExactlyInAnyOrder("GET", "POST", "DELETE");

    assertProblem(service.call("GET", "/locks", "", "Accept", "text/html"), 406, "Not Acceptable", "not_acceptable",
        "no acceptable representation of this path exists",
        "accept application/json, or text/event-stream for a stream");
  }

  @Test
  @DisplayName("A body of another type, or compressed, is not read")
  void mediaType() {
    String suggestion = "send JSON as it is, with the header `Content-Type: application/json`";
    assertProblem(service.call("POST", "/locks/prod", "{}", "Content-Type", "text/plain"), 415,
        "Unsupported Media Type", "unsupported_media_type", "the body is of type 'text/plain', which is not supported",
        suggestion);
    assertProblem(service.call("POST", "/locks/prod", "{}"), 415, "Unsupported Media Type", "unsupported_media_type",
        "the body has no Content-Type", suggestion);
    assertProblem(service.call("POST", "/locks/prod", "{}", "Content-Type", JSON, "Content-Encoding", "gzip"), 415,
        "Unsupported Media Type", "unsupported_media_type", "the body is encoded as 'gzip', which is not supported",
        suggestion);
  }

  @Test
  @DisplayName("A body over 256 KiB is rejected, also without a declared length")
  void tooLarge() {
    byte[] body = " ".repeat(TOO_MUCH).getBytes(StandardCharsets.US_ASCII);
    for (var publisher : new java.net.http.HttpRequest.BodyPublisher[]{BodyPublishers.ofByteArray(body),
        BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(body))}) {
      assertProblem(
          service.send(service.request("/locks/prod").header("Authorization", "Bearer " + service.token())
              .header("Content-Type", JSON).POST(publisher).build()),
          413, "Content Too Large", "content_too_large", "the body is longer than 262144 bytes",
          "send less; put large values in files");
    }
  }

  @ParameterizedTest
  @DisplayName("A body that is not strict JSON is rejected with the place")
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"{ | it ends in the middle (cut off at character 1)",
      "[] | not an object", "{\"a\":1,\"a\":2} | duplicate key \\\"a\\\" (at character 12)",
      "{}x | text after the end of the value (at character 2)", "nothing | not a value (at character 0)"})
  void malformed(String body, String problem) {
    assertProblem(service.post("/locks/prod", body), 400, "Bad Request", "invalid_request",
        "the body is not a JSON object: " + problem, "send one JSON object in UTF-8, with every key at most once");
  }

  @Test
  @DisplayName("A body that is not UTF-8 is rejected")
  void notUtf8() {
    assertProblem(
        service.send(service.request("/locks/prod").header("Authorization", "Bearer " + service.token())
            .header("Content-Type", JSON)
            .POST(BodyPublishers.ofByteArray("{\"intent\":\"\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1))).build()),
        400, "Bad Request", "invalid_request", "the body is not a JSON object: not valid UTF-8",
        "send one JSON object in UTF-8, with every key at most once");
  }

  @ParameterizedTest
  @DisplayName("Invalid HTTP is answered in the same form")
  @ValueSource(strings = {"GARBAGE\r\n\r\n", "GET /a^b HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET /locks/a%2fb HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"})
  void brokenHttp(String request) throws Exception {
    assertThat(withoutActions(raw(request))).startsWith("HTTP/1.1 400")
        .endsWith("\r\n\r\n" + problem(400, "Bad Request",
            "invalid_request", "the request is not valid HTTP",
            "check the request line and the headers"));
  }

  @ParameterizedTest
  @DisplayName("An unsupported version of HTTP is 505, with and without a token")
  @ValueSource(strings = {"HTTP/2.0", "HTTP/1.2", "HTTP/3"})
  void httpVersion(String version) throws Exception {
    for (String token : new String[]{"", "Authorization: Bearer " + service.token() + "\r\n"}) {
      assertThat(withoutActions(raw("GET /locks " + version + "\r\nHost: h\r\n" + token + "\r\n")))
          .startsWith("HTTP/1.1 505 ")
          .contains("application/problem+json").endsWith("\r\n\r\n" + problem(505, "HTTP Version not supported",
              "http_version_not_supported", "this version of HTTP is not supported", "use HTTP/1.1"));
    }
  }

  @Test
  @DisplayName("Overlong headers are reported as such, with the setting of their limit")
  void longHeaders() throws Exception {
    String problem = problem(431, "Request Header Fields Too Large", "headers_too_large",
        "the request line and headers are too long",
        "send shorter ones; the limit is server.max-http-request-header-size, 8KB by default");
    assertThat(withoutActions(raw("GET /locks HTTP/1.1\r\nHost: h\r\nX: " + "x".repeat(9000) + "\r\n\r\n")))
        .startsWith("HTTP/1.1 431 ").contains("application/problem+json").endsWith("\r\n\r\n" + problem);
    assertThat(withoutActions(raw("GET /locks?" + "x".repeat(9000) + " HTTP/1.1\r\nHost: h\r\n\r\n")))
        .startsWith("HTTP/1.1 431 ").endsWith(problem);
  }

  @Test
  @DisplayName("The limit of headers is configurable")
  void longHeadersAllowed(@TempDir Path home) {
    try (TestService generous = new TestService(home, "--server.max-http-request-header-size=32KB")) {
      assertThat(generous.call("GET", "/locks", "", "X-Long", "x".repeat(30_000)).status()).isEqualTo(200);
      assertThat(generous.call("GET", "/locks", "", "X-Long", "x".repeat(40_000)).status()).isEqualTo(431);
    }
  }

  @Test
  @DisplayName("An internal error shows no class, line or path in body or headers; the log does")
  void mistake(@TempDir Path home) {
    List<LogRecord> logged = new CopyOnWriteArrayList<>();
    Handler handler = new Listener(logged);
    Answer answer;
    try (TestService broken = new TestService(home, "--spring.main.sources=" + Broken.class.getName())) {
      // The start of a service configures all logging again.
      Logger.getLogger("").addHandler(handler);
      answer = broken.get("/broken");
    } finally {
      Logger.getLogger("").removeHandler(handler);
    }

    assertProblem(answer, 500, "Internal Server Error", "internal_error", "internal error",
        "see the service's log; this is a bug, please report it");
    assertThat(answer.headers().toString()).doesNotContain("Exception", "fleet", "java", "\tat ");
    assertThat(logged).anySatisfy(record -> {
      assertThat(record.getMessage()).isEqualTo("GET /broken failed");
      assertThat(record.getThrown()).isInstanceOf(ClassCastException.class);
    });
  }

  @Test
  @DisplayName("Foreign stored data is reported without the name of a class")
  void oddRecord() throws Exception {
    TestService.declare(service.home(), "fine", "mode: observe\nsteps: [{ name: s, run: [echo, fine] }]\n");
    Await.until("the intent is known", () -> service.get("/intents/fine").status() == 200);
    assertThat(service.post("/intents/fine", "{\"request_id\":\"odd\"}").status()).isEqualTo(200);
    for (String[] odd : new String[][]{{"\"warnings\":[]", "\"warnings\":[1]"}, {"\"warnings\":[1]", "\"warnings\":[]"},
        {"\"mode\":\"observe\"", "\"mode\":\"gaze\""}}) {
      try (Connection database = DriverManager
          .getConnection("jdbc:sqlite:" + service.home().resolve("state/tower.db"));
          PreparedStatement change = database
              .prepareStatement("UPDATE runs SET document = replace(document, ?, ?) WHERE request_id = 'odd'")) {
        change.setString(1, odd[0]);
        change.setString(2, odd[1]);
        assertThat(change.executeUpdate()).isEqualTo(1);
      }
      Answer answer = service.get("/runs/odd");
      assertThat(answer.body()).doesNotContain("fleet.tower", "java.", "Exception");
      assertThat(answer.status()).isEqualTo(odd[1].endsWith("[]") ? 200 : 503);
    }
  }

  /** A controller with a bug. */
  @RestController
  static class Broken {
    @Needs(Role.VIEWER)
    @GetMapping("/broken")
    String broken() {
      Object text = List.of();
      return (String) text;
    }
  }

  @Test
  @DisplayName("A list that fails during its output is aborted, so that it is not taken for a complete one")
  void cutList(@TempDir Path home) throws Exception {
    try (TestService broken = new TestService(home, "--spring.main.sources=" + HalfList.class.getName())) {
      URI url = URI.create(broken.url());
      try (Socket socket = new Socket(url.getHost(), url.getPort())) {
        socket.setSoTimeout((int) Await.LIMIT.toMillis());
        socket.getOutputStream().write(("GET /half HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + broken.token()
            + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(answer).startsWith("HTTP/1.1 200 ").contains("{\"rows\":[{\"a\":\"xxx", "\"},{\"a\":\"xxx")
            .doesNotContain("]", "storage_unavailable", "\r\n0\r\n");
      }
      Answer none = broken.get("/half?none");
      assertThat(none.status()).isEqualTo(503);
      assertThat(none.body()).contains("\"error\":\"storage_unavailable\"", "\"detail\":\"gone\"");
    }
  }

  /** A list that fails during its output. */
  @RestController
  static class HalfList {
    @Needs(Role.VIEWER)
    @GetMapping("/half")
    void half(HttpServletRequest request, HttpServletResponse response) throws IOException {
      Json.enveloped(response, "rows", rows -> {
        for (int i = 0; i < 20 && request.getQueryString() == null; i++) {
          rows.add(JsonWriter.line().put("a", "x".repeat(1000)));
        }
        throw new StorageException("gone");
      });
    }
  }

  /** Records the log of libraries and of the service. */
  private static final class Listener extends Handler {
    private final List<LogRecord> heard;

    Listener(List<LogRecord> heard) {
      this.heard = heard;
    }

    @Override
    public void publish(LogRecord entry) {
      heard.add(entry);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  @DisplayName("A percent sign in the query must be written as %25")
  void brokenQuery() throws Exception {
    assertThat(withoutActions(raw("GET /locks?x=%zz HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer "
        + service.token() + "\r\n\r\n"))).startsWith("HTTP/1.1 400")
        .endsWith(problem(400, "Bad Request", "invalid_request",
            "the query is invalid: a % is not followed by two hexadecimal digits, or there are too many"
                + " parameters",
            "write %25 for a percent sign"));
  }

  @Test
  @DisplayName("An unreadable audit log is 503, not an internal error")
  void storage() throws Exception {
    Path day = Files.createDirectories(service.home().resolve("logs/audit")).resolve("audit-2020-01-01.jsonl");
    Files.createDirectory(day);
    try {
      Answer answer = service.get("/audit?since=2020-01-01T00:00:00Z");
      assertThat(answer.status()).isEqualTo(503);
      assertThat(withoutActions(answer.body()).replace(service.home().toString(), "HOME"))
          .isEqualTo(problem(503, "Service Unavailable",
              "storage_unavailable", "the audit log in HOME/logs/audit cannot be read: EISDIR: is a directory",
              "see `tower doctor` on the service's host"));
    } finally {
      Files.delete(day);
    }
  }

  private String raw(String request) throws Exception {
    URI url = URI.create(service.url());
    try (Socket socket = new Socket(url.getHost(), url.getPort());
        OutputStream out = socket.getOutputStream();
        InputStream in = socket.getInputStream()) {
      socket.setSoTimeout((int) Await.LIMIT.toMillis());
      out.write(request.getBytes(StandardCharsets.US_ASCII));
      out.flush();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
