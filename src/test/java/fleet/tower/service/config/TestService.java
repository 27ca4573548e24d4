package fleet.tower.service.config;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.springframework.context.ConfigurableApplicationContext;

import fleet.tower.fleet.ThreeHosts;
import fleet.tower.harness.Await;
import fleet.tower.harness.TestFiles;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.submit.Runs;

/**
 * The real service on its own home, in this process, called over real HTTP. Within {@link ThreeHosts} it is a fleet of
 * three, whose answers are read as if one host had given them.
 */
public final class TestService implements AutoCloseable {
  private final Path home;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final TestHosts hosts;
  private final String token;

  /** Starts it with additional settings. */
  public TestService(Path home, String... settings) {
    this.home = home;
    makeHome(home);
    List<String> all = new ArrayList<>(
        List.of("--tower.lock.insecure-directory=true"));
    all.addAll(List.of(settings));
    if (all.stream().noneMatch(setting -> setting.startsWith("--server.port="))) {
      all.add("--server.port=0");
    }
    if (all.stream().noneMatch(setting -> setting.startsWith("--tower.host-id="))) {
      all.add("--tower.host-id=tower-01");
    }
    if (all.stream().anyMatch(setting -> setting.startsWith("--tower.database.url=jdbc:postgresql:"))) {
      shareOperator(home);
    }
    hosts = TestHosts.start(home, all, console(out));
    token = TestFiles.text(home.resolve("state/token")).strip();
  }

  /** Gives a home of a fleet the operator's token of all such homes, as a Secret does. */
  private static void shareOperator(Path home) {
    try {
      Path file = home.resolve("state/token");
      if (Files.notExists(file)) {
        Files.createDirectories(file.getParent(),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, "operator-of-test-fleets-" + "0123456789".repeat(2) + "\n");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The answer to a call. */
  public record Answer(int status, Map<String, List<String>> headers, String body) {

    /** The body with its timestamps, ids and process ids normalized. */
    public String stable() {
      return body.replaceAll("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ", "TIME")
          .replaceAll("req_[0-9a-f]{24}", "RANDOM")
          .replaceAll("\"pid\":\\d+", "\"pid\":0")
          .replaceAll("\"duration_ms\":\\d+", "\"duration_ms\":0")
          .replaceAll(" for [0-9][0-9hms ]*, last heartbeat [0-9][0-9hms ]* ago", " for AGE, last heartbeat AGE ago")
          .replaceAll("\"lock_path\":\"[^\"]*/logs", "\"lock_path\":\"HOME/logs")
          .replaceAll("sha256:[0-9a-f]{64}", "HASH");
    }

    /** A header, or empty. */
    public String header(String name) {
      return String.join(", ", headers.getOrDefault(name.toLowerCase(java.util.Locale.ROOT), List.of()));
    }
  }

  /** Creates an empty home, without the example of a new one. */
  public static void makeHome(Path home) {
    try {
      Files.createDirectories(home.resolve("intents"));
      Files.createDirectories(home.resolve("config"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Console console(ByteArrayOutputStream out) {
    return new Console(new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(out, true,
        StandardCharsets.UTF_8));
  }

  public Path home() {
    return home;
  }

  public String token() {
    return token;
  }

  /** A part of it. */
  public <T> Map<String, T> parts(Class<T> type) {
    return hosts.services().getFirst().getBeansOfType(type);
  }

  /** The part of a type of each host. */
  public <T> List<T> partOfEach(Class<T> type) {
    return hosts.services().stream().map(service -> service.getBean(type)).toList();
  }

  public String url() {
    return hosts.url();
  }

  /** Everything it has printed. */
  public List<String> printed() {
    return out.toString(StandardCharsets.UTF_8).lines()
        .filter(line -> !line.matches("tower: warning: /\\S+ is on (tmpfs|ramfs|overlay)\\b.*")).toList();
  }

  public Answer get(String path) {
    hosts.awaitAudit(home, path);
    return call("GET", path, "");
  }

  public Answer post(String path, String body) {
    return call("POST", path, body, "Content-Type", "application/json");
  }

  /** Makes a call with the operator's token and additional headers. */
  public Answer call(String method, String path, String body, String... headers) {
    HttpRequest.Builder request = request(path).method(method,
        body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request.setHeader("Authorization", "Bearer " + token).build());
  }

  /** Makes a call with the given token; a body is sent as JSON. */
  public Answer callAs(String ownToken, String method, String path, String body, String... headers) {
    HttpRequest.Builder request = request(path).method(method,
        body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
        .setHeader("Content-Type", "application/json");
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send((ownToken.isEmpty() ? request : request.setHeader("Authorization", "Bearer " + ownToken)).build());
  }

  /** Posts without waiting for the answer. */
  public CompletableFuture<Answer> later(String path, String body, String... headers) {
    HttpRequest.Builder request = request(path).header("Authorization", "Bearer " + token)
        .header("Content-Type", "application/json").POST(BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.sendAsync(request.build(), BodyHandlers.ofString())
        .thenApply(this::answer);
  }

  private Answer answer(HttpResponse<String> response) {
    return new Answer(response.statusCode(), response.headers().map(), asOneHost(response.body()));
  }

  /** A text of a fleet as one host would write it. */
  public String asOneHost(String text) {
    return hosts.asOneHost(home, text);
  }

  /** Puts an intent into a home, as a whole; {@code spec} is the YAML below that key. */
  public static void declare(Path home, String name, String spec) {
    declare(home, name, "1.0.0", "For a test", spec);
  }

  /** The same with a version and a description, which is the inside of a double-quoted YAML text. */
  public static void declare(Path home, String name, String version, String description, String spec) {
    try {
      Path intents = Files.createDirectories(home.resolve("intents"));
      Path fresh = Files.writeString(home.resolve("." + name + ".yaml"), """
          apiVersion: tower-fleet/intent/v1
          kind: Intent
          metadata: { name: %s, version: %s, description: "%s" }
          spec:
          %s""".formatted(name, version, description, TestHosts.shared(home, spec).indent(2)));
      Files.move(fresh, intents.resolve(name + ".yaml"), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A request without a token. */
  public HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url() + path));
  }

  public Answer send(HttpRequest request) {
    try {
      return answer(client.send(request, BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Sends it from another address of this host; calls without a valid token are counted per address. */
  public Answer sendFrom(String address, HttpRequest request) {
    try (HttpClient other = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
        .localAddress(InetAddress.ofLiteral(address)).build()) {
      return answer(other.send(request, BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether it is stopping. */
  public boolean isClosing() {
    return hosts.services().stream().anyMatch(ConfigurableApplicationContext::isClosed);
  }

  /** Where calls go without a proxy; the hosts are numbered from 0, and again after the last. */
  public String urlOfHost(int number) {
    return Daemon.urlOf(hosts.services().get(number % hosts.services().size()));
  }

  public HttpClient client() {
    return client;
  }

  /** Writes a lock file as a foreign program would, with a last heartbeat of the given age. */
  public void foreignLock(String name, Instant heartbeat, long ttlSeconds) {
    if (hosts.areThree()) {
      row(name, "v1", heartbeat, ttlSeconds);
      return;
    }
    String moment = Timestamps.format(heartbeat);
    rawLock(name, """
        {"lock_version":"v1","lock_name":"%s","request_id":"req_old","actor":"bob","intent":"deploy",\
        "intent_version":"1.0.0","host_id":"tower-02","pid":7,"created_at":"%s","last_heartbeat_at":"%s",\
        "ttl_seconds":%d,"metadata":{}}
        """.formatted(name, moment, moment, ttlSeconds));
  }

  /** Writes any text as a lock; in a fleet it is a row that is as unreadable. */
  public void rawLock(String name, String text) {
    if (hosts.areThree()) {
      row(name, text.replaceAll(".*\"lock_version\":\"(\\w+)\".*|.*", "$1"), Instant.EPOCH, 0);
      return;
    }
    try {
      Path locks = Files.createDirectories(home.resolve("logs/locks"),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Files.writeString(locks.resolve(name + ".lock"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until no call waits and no run is active, and removes all locks and freezes, so that another test can begin. */
  public void settle() {
    Await.until("no call waits, and no run is active", () -> Stream.concat(
        partOfEach(WaitingCalls.class).stream().map(WaitingCalls::places), partOfEach(Runs.class).stream()
            .map(Runs::places))
        .allMatch(places -> places.taken() == 0));
    String locks = get("/locks").body();
    Pattern.compile("\"lock_name\":\"([^\"]+)\"").matcher(locks).results().map(lock -> lock.group(1)).forEach(name -> {
      post("/locks/" + name + "/force-release", "{\"reason\":\"the test is over\",\"abandon\":true}");
      call("DELETE", "/freezes/" + name, "");
    });
  }

  /** Removes a lock as a foreign program would, without a signal. */
  public void removeForeignLock(String name) {
    if (hosts.areThree()) {
      new DirectTables(hosts.database()).change("DELETE FROM locks WHERE name = '" + name + "'");
      return;
    }
    try {
      Files.delete(home.resolve("logs/locks").resolve(name + ".lock"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void row(String name, String version, Instant heartbeat, long ttlSeconds) {
    new DirectTables(hosts.database()).change("""
        INSERT INTO locks (name, token, lock_version, request_id, actor, intent, intent_version, host_id, pid,
          created_at, last_heartbeat_at, ttl_seconds)
        VALUES ('%s', 0, '%s', 'req_old', 'bob', 'deploy', '1.0.0', 'tower-02', 7, %d, %d, %d)
        ON CONFLICT (name) DO UPDATE SET token = locks.token + 1, lock_version = excluded.lock_version,
          request_id = excluded.request_id, actor = excluded.actor, intent = excluded.intent,
          intent_version = excluded.intent_version, host_id = excluded.host_id, pid = excluded.pid,
          created_at = excluded.created_at, last_heartbeat_at = excluded.last_heartbeat_at,
          ttl_seconds = excluded.ttl_seconds""".formatted(name, version.isEmpty() ? "v1" : version,
        heartbeat.getEpochSecond(), heartbeat.getEpochSecond(), ttlSeconds));
  }

  @Override
  public void close() {
    hosts.close();
    client.shutdownNow();
  }
}
