package fleet.tower.console;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The files of the console over HTTP")
class ConsoleFilesTest {
  private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
      + "connect-src 'self'; require-trusted-types-for 'script'; trusted-types lit-html; frame-ancestors 'none'; "
      + "base-uri 'none'; form-action 'none'";
  private static final int MOST_BYTES_OF_A_FIRST_PAGE = 60_000;
  private static final Pattern ASSET = Pattern.compile("/console/assets/[A-Za-z0-9_.-]+");
  private static final Pattern STATIC_IMPORT = Pattern.compile("(?:from|import)\\s*\"\\./([^\"]+)\"");
  private static final Pattern NOW = Pattern.compile("\\./(now-[A-Z0-9]+\\.js)");

  @AutoClose
  private final TestService service;
  private final AtomicInteger clients = new AtomicInteger();

  ConsoleFilesTest(@TempDir Path home) {
    service = new TestService(home);
  }

  private Answer open(String path, String... headers) {
    return service.callAs("", "GET", path, "", headers);
  }

  @ParameterizedTest
  @DisplayName("The root, and the console's path without a slash, lead to the console")
  @ValueSource(strings = {"/", "/console"})
  void redirects(String path) {
    Answer answer = open(path);

    assertThat(answer.status()).isEqualTo(302);
    assertThat(answer.header("Location")).isEqualTo("/console/");
  }

  @ParameterizedTest
  @DisplayName("Every page has an address that answers without a token, with its policy and without a cookie")
  @ValueSource(strings = {"/console/", "/console/runs", "/console/runs/req_1", "/console/approvals",
      "/console/approvals/req_1",
      "/console/locks", "/console/locks/prod",
      "/console/intents", "/console/intents/deploy", "/console/tasks", "/console/tasks/t1", "/console/mailboxes",
      "/console/mailboxes/jobs", "/console/audit", "/console/hosts", "/console/runs?status=failed",
      "/console/locks/a%20b"})
  void pages(String path) {
    Answer answer = open(path);

    assertThat(answer.status()).as(path).isEqualTo(200);
    assertThat(answer.header("Content-Type")).isEqualToIgnoringCase("text/html;charset=utf-8");
    assertThat(answer.header("Content-Security-Policy")).isEqualTo(POLICY);
    assertThat(answer.header("Cache-Control")).isEqualTo("no-cache");
    assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
    assertThat(answer.headers()).doesNotContainKey("set-cookie");
    assertThat(answer.body()).contains("<tower-app>").doesNotContain("<script>").doesNotContain(" style=");
  }

  @ParameterizedTest
  @DisplayName("An address that names no page answers 404 with the page, which says so; a missing asset answers 404")
  @ValueSource(strings = {"/console/nothing", "/console/runs/", "/console/runs/a/b", "/console/index.html",
      "/console/assets/none-ABCDEFGH.js", "/console/assets/", "/console/assets/app.js.gz"})
  void noPage(String path) {
    assertThat(open(path).status()).isEqualTo(404);
  }

  @Test
  @DisplayName("Assets have hashes in their names, may be kept forever, and have their types")
  void assets() {
    for (String asset : assetsOfIndex()) {
      Answer answer = open(asset);
      assertThat(answer.status()).as(asset).isEqualTo(200);
      assertThat(asset).matches("/console/assets/app-[A-Z0-9]{8}\\.(js|css)");
      assertThat(answer.header("Cache-Control")).isEqualTo("public, max-age=31536000, immutable");
      assertThat(answer.header("Vary")).containsIgnoringCase("accept-encoding");
      assertThat(answer.header("Content-Type")).isEqualToIgnoringCase(
          (asset.endsWith(".js") ? "text/javascript" : "text/css") + ";charset=utf-8");
      assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
      assertThat(answer.headers()).doesNotContainKey("set-cookie");
    }
  }

  @Test
  @DisplayName("A client that accepts gzip gets it; others get the same bytes")
  void compressed() throws Exception {
    for (String asset : assetsOfIndex()) {
      byte[] plain = bytes(asset, "identity").body();
      HttpResponse<byte[]> gzip = bytes(asset, "br, gzip;q=0.8");
      assertThat(gzip.headers().firstValue("Content-Encoding")).contains("gzip");
      assertThat(new GZIPInputStream(new ByteArrayInputStream(gzip.body())).readAllBytes()).isEqualTo(plain);
      assertThat(bytes(asset, "gzip;q=0").headers().firstValue("Content-Encoding")).isEmpty();
    }
  }

  @Test
  @DisplayName("A first page takes at most 60 kB: the index, the script, the style, Now and what they import")
  void size() throws Exception {
    Set<String> files = new TreeSet<>(assetsOfIndex());
    Deque<String> open = new ArrayDeque<>(files);
    while (!open.isEmpty()) {
      String file = open.remove();
      files.add(file);
      if (file.endsWith(".js")) {
        String script = text(file);
        Stream.concat(STATIC_IMPORT.matcher(script).results(), NOW.matcher(script).results())
            .map(it -> "/console/assets/" + it.group(1)).filter(it -> !files.contains(it)).forEach(open::add);
      }
    }
    assertThat(files).as("the page Now, which a script loads").anyMatch(it -> it.contains("/now-"));
    int sum = bytes("/console/", "gzip").body().length;
    for (String file : files) {
      sum += bytes(file, "gzip").body().length;
    }

    assertThat(files.size()).as("%s", files).isGreaterThan(3);
    assertThat(sum).as("%s", files).isBetween(5_000, MOST_BYTES_OF_A_FIRST_PAGE);
  }

  @Test
  @DisplayName("The settings name no issuer where none is configured, and need no token")
  void settings() {
    Answer answer = open("/console/settings.json");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).matches(
        "\\{\"issuer\":null,\"client_id\":null,\"scope\":\"openid\",\"version\":\"[^\"]+\"}\n?");
  }

  @ParameterizedTest
  @DisplayName("Nothing else is public: a path that leads out of the console, or is oddly written, needs a token or "
      + "does not exist")
  @ValueSource(strings = {"/console/../runs", "/console/%2e%2e/runs", "/console/%2E%2E/runs", "/console/..;/runs",
      "/console/.;/../runs", "/console//../runs", "/console//runs", "/console/%2frun", "/console/%2f..%2fruns",
      "/console/..%2fruns", "/console/..%5cruns", "/console/..\\runs", "/console/;x=1/runs", "/console;/runs",
      "/console/runs;a=b", "/console/%3b/runs", "/console/.%2e/runs", "/console/assets/../../runs", "//runs",
      "/console/%252e%252e/runs/../../runs", "/consolex", "/Console/", "/runs", "/console/../actuator/env"})
  void outside(String path) throws IOException {
    String status = raw("GET", path);

    assertThat(status).as(path).matches("HTTP/1.1 40[01] ?");
  }

  @ParameterizedTest
  @DisplayName("Only reading is public: HEAD answers like GET without a body, other methods are refused")
  @ValueSource(strings = {"/console/", "/console/runs", "/"})
  void methods(String path) throws IOException {
    assertThat(raw("HEAD", path)).isEqualTo(raw("GET", path)).matches("HTTP/1.1 (200|302) ?");
    assertThat(raw("POST", path)).matches("HTTP/1.1 401 ?");
    assertThat(raw("DELETE", path)).matches("HTTP/1.1 401 ?");
    assertThat(service.call("POST", path, "{}", "Content-Type", "application/json").status()).isEqualTo(405);
  }

  /**
   * The status line of the answer to a path as it stands, which no client normalizes. Each call comes from another
   * address, because calls without a token are counted by address.
   */
  private String raw(String method, String path) throws IOException {
    URI url = URI.create(service.url());
    InetAddress client = InetAddress.getByName("127.0.1." + clients.incrementAndGet());
    try (Socket socket = new Socket(InetAddress.getByName(url.getHost()), url.getPort(), client, 0)) {
      socket.getOutputStream()
          .write("%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
              .formatted(method, path).getBytes(StandardCharsets.ISO_8859_1));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (method.equals("HEAD")) {
        assertThat(answer).endsWith("\r\n\r\n");
      }
      return answer.lines().findFirst().orElse("");
    }
  }

  private Set<String> assetsOfIndex() {
    Set<String> assets = ASSET.matcher(open("/console/").body()).results().map(it -> it.group())
        .collect(toCollection(TreeSet::new));
    assertThat(assets).hasSize(2);
    return assets;
  }

  private String text(String path) {
    return open(path).body();
  }

  private HttpResponse<byte[]> bytes(String path, String encodings) throws Exception {
    return service.client().send(service.request(path).method("GET", BodyPublishers.noBody())
        .header("Accept-Encoding", encodings).build(), BodyHandlers.ofByteArray());
  }
}
