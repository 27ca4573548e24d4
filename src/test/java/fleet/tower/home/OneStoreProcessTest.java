package fleet.tower.home;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.Installation;
import fleet.tower.harness.McpClient;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.ServiceProcess;
import fleet.tower.harness.TestFiles;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.service.config.TestService;

/**
 * Every kind of program of a home asks for one lock, beside a service on PostgreSQL. Who gets it writes {@code in} and
 * {@code out} into the section log, and stays in until the test lets it go.
 */
@Timeout(600)
@DisplayName("TF-1.1 the programs of a home exclude each other, or refuse, however the service got its database")
class OneStoreProcessTest {
  private static final String VARIABLE = "TOWER_DATABASE_URL";
  private static final String ELSEWHERE = "the locks of this home are in postgresql://";

  /** Who asks for the lock. */
  private enum Program {
    SERVICE, GUARD, RUN, MCP, SCRIPT;

    String id(String round) {
      return name().toLowerCase(Locale.ROOT) + "-" + round;
    }
  }

  /**
   * How an attempt ended.
   *
   * @param code the exit code; of the service the status of its response
   */
  private record Outcome(int code, String text) {}

  private static final Map<Program, Integer> ENTERED = new EnumMap<>(
      Map.of(Program.SERVICE, 200, Program.GUARD, 0, Program.RUN, 0, Program.MCP, 0, Program.SCRIPT, 0));
  private static final Map<Program, Outcome> BLOCKED = new EnumMap<>(
      Map.of(Program.SERVICE, new Outcome(409, "lock_blocked"), Program.GUARD, new Outcome(75, "held by"),
          Program.RUN, new Outcome(2, "lock_blocked"), Program.MCP, new Outcome(0, "lock_blocked"),
          Program.SCRIPT, new Outcome(1, "ERROR: Lock is held by active process.")));
  private static final Map<Program, Outcome> REFUSED = new EnumMap<>(
      Map.of(Program.GUARD, new Outcome(75, ELSEWHERE), Program.RUN, new Outcome(69, ELSEWHERE),
          Program.MCP, new Outcome(69, ELSEWHERE),
          Program.SCRIPT, new Outcome(1, "ERROR: Failed to acquire lock: tower: " + ELSEWHERE)));

  private final Path directory;
  private final Installation tower;
  private final Path log;
  private final Path go;
  private final Path section;
  private final String database = PostgresServer.newDatabase();
  private final List<Process> started = new ArrayList<>();
  private final List<CompletableFuture<Outcome>> attempts = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private String url = "";

  OneStoreProcessTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    tower = new Installation(directory.resolve("release"));
    log = directory.resolve("sections");
    go = Files.createDirectory(directory.resolve("go"));
    section = directory.resolve("section");
    Installation.script(section, """
        echo "in $1" >>%s
        until [ -e %2$s/$1 ] || [ -e %2$s/all ]; do sleep 0.05; done
        echo "out $1" >>%1$s""".formatted(log, go));
    TestService.declare(tower.home(), "section", """
        mode: mutate
        controls: { lock: x }
        steps: [{ name: work, script: '%s "$TOWER_REQUEST_ID"' }]
        """.formatted(section));
  }

  @AfterEach
  void end() throws IOException {
    Files.writeString(go.resolve("all"), "");
    attempts.forEach(attempt -> attempt.handle((outcome, failure) -> "ended").join());
    started.forEach(Await::kill);
    threads.close();
  }

  private void serve() throws IOException {
    Path out = directory.resolve("service.out");
    Path err = directory.resolve("service.err");
    Process service = tower.start(List.of(tower.launcher().toString(), "serve", "--port", "0"), out, err);
    started.add(service);
    url = ServiceProcess.awaitReady(service, out, err).group(1);
  }

  private Outcome call(String method, String path, String body) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> response = client.send(HttpRequest.newBuilder(URI.create(url + path))
          .header("Authorization", "Bearer " + TestFiles.text(tower.home().resolve("state/token")).strip())
          .header("Content-Type", "application/json").method(method, BodyPublishers.ofString(body)).build(),
          BodyHandlers.ofString());
      return new Outcome(response.statusCode(), response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Outcome outcome(Installation.Result result) {
    return new Outcome(result.exit(), result.out() + result.err());
  }

  private Outcome mcp(String id, int waitSeconds) {
    try {
      Path err = directory.resolve(id + ".err");
      McpClient client = McpClient.of(tower.connect(List.of(tower.launcher().toString(), "mcp"), err));
      String answer = "";
      try {
        answer = client.ask(1, "tools/call", ",\"name\":\"section\",\"arguments\":{\"tower_request_id\":\"" + id
            + "\",\"tower_wait_seconds\":" + waitSeconds + "}");
        client.out().close();
      } catch (IOException ended) {
        // It has refused before it read anything.
      }
      return new Outcome(Await.exitOf(client.server()), answer + TestFiles.text(err));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One attempt to its end. The script cannot wait. */
  private Outcome attempt(Program program, String id, int waitSeconds) {
    return switch (program) {
      case SERVICE -> call("POST", "/intents/section",
          "{\"request_id\":\"" + id + "\",\"wait_seconds\":" + waitSeconds + "}");
      case GUARD -> outcome(
          tower.tower("guard", "x", "--wait", waitSeconds + "s", "--request-id", id, "--", section.toString(), id));
      case RUN -> outcome(
          tower.tower("run", "section", "--wait", waitSeconds + "s", "--request-id", id, "--json"));
      case MCP -> mcp(id, waitSeconds);
      case SCRIPT -> outcome(tower.run(List.of("bash", "-c", """
          source bin/lock-manager.sh
          acquire_lock x %1$s section 1
          %2$s %1$s
          release_lock x %1$s""".formatted(id, section))));
    };
  }

  private CompletableFuture<Outcome> begin(Program program, String id, int waitSeconds) {
    CompletableFuture<Outcome> attempt = CompletableFuture.supplyAsync(() -> attempt(program, id, waitSeconds),
        threads);
    attempts.add(attempt);
    return attempt;
  }

  private Map<Program, Outcome> attemptAll(Iterable<Program> programs, String round) {
    Map<Program, CompletableFuture<Outcome>> all = new EnumMap<>(Program.class);
    programs.forEach(program -> all.put(program, begin(program, program.id(round), 0)));
    Map<Program, Outcome> outcomes = new EnumMap<>(Program.class);
    all.forEach((program, attempt) -> outcomes.put(program, attempt.join()));
    return outcomes;
  }

  private static void assertOutcomes(Map<Program, Outcome> outcomes, Map<Program, Outcome> expected) {
    assertThat(outcomes).containsOnlyKeys(expected.keySet()).allSatisfy((program, outcome) -> {
      assertThat(outcome.code()).as(outcome.text()).isEqualTo(requireNonNull(expected.get(program)).code());
      assertThat(outcome.text()).contains(requireNonNull(expected.get(program)).text());
    });
  }

  private List<String> sections() {
    return TestFiles.textIfAny(log).lines().toList();
  }

  /** Those that are in now. */
  private List<String> inside() {
    List<String> inside = new ArrayList<>();
    for (String line : sections()) {
      if (line.startsWith("in ")) {
        inside.add(line.substring("in ".length()));
      } else {
        inside.remove(line.substring("out ".length()));
      }
    }
    return inside;
  }

  private void assertNoOverlap(int count) {
    List<String> lines = sections();
    assertThat(lines).hasSize(2 * count);
    for (int i = 0; i < lines.size(); i += 2) {
      assertThat(lines.get(i + 1)).as(lines.toString()).isEqualTo(lines.get(i).replaceFirst("^in ", "out "));
    }
  }

  private CompletableFuture<Outcome> enter(Program program, String id) {
    CompletableFuture<Outcome> attempt = begin(program, id, 0);
    Await.until(id + " is in the section", () -> inside().contains(id) || attempt.isDone());
    assertThat(inside()).as(() -> attempt.isDone() ? attempt.join().toString() : id).containsExactly(id);
    return attempt;
  }

  private void leave(Program program, String id, CompletableFuture<Outcome> attempt) throws IOException {
    Files.createFile(go.resolve(id));
    Outcome outcome = attempt.join();
    assertThat(outcome.code()).as(outcome.text()).isEqualTo(ENTERED.get(program));
  }

  /** Each holder is in once, while all are blocked; then those that can wait follow one another. */
  private void assertExclusive(String round) throws IOException {
    int before = sections().size() / 2;
    List<Program> holders = Extent.oneOf(List.of(Program.values()));
    for (Program holder : holders) {
      String id = holder.id(round);
      CompletableFuture<Outcome> held = enter(holder, id);
      assertOutcomes(attemptAll(BLOCKED.keySet(), "beside-" + id), BLOCKED);
      assertThat(inside()).containsExactly(id);
      leave(holder, id, held);
    }
    String first = "first-" + round;
    CompletableFuture<Outcome> held = enter(Program.SERVICE, first);
    Map<String, Program> waiting = new HashMap<>();
    Map<String, CompletableFuture<Outcome>> waits = new HashMap<>();
    for (Program program : List.of(Program.SERVICE, Program.GUARD, Program.RUN, Program.MCP)) {
      String id = program.id("waits-" + round);
      waiting.put(id, program);
      waits.put(id, begin(program, id, (int) Await.LIMIT.toSeconds()));
    }
    Await.until("all wait", () -> call("GET", "/locks/x", "").text().contains("\"waiters\":" + waiting.size()));
    leave(Program.SERVICE, first, held);
    while (!waiting.isEmpty()) {
      Await.until("the next is in", () -> !inside().isEmpty());
      assertThat(inside()).hasSize(1);
      String id = inside().getFirst();
      leave(requireNonNull(waiting.remove(id)), id, requireNonNull(waits.get(id)));
    }
    assertNoOverlap(before + holders.size() + 1 + waits.size());
  }

  private SortedMap<String, String> files() throws IOException {
    SortedMap<String, String> content = new TreeMap<>();
    try (Stream<Path> files = Files.walk(tower.home())) {
      for (Path file : files.toList()) {
        content.put(tower.home().relativize(file).toString(),
            Files.isRegularFile(file) ? new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1) : "");
      }
    }
    return content;
  }

  /** The service's own last file, which it writes under another name first: it has begun to copy its audit log. */
  private boolean hasLastFile() {
    Path audit = tower.home().resolve("logs/audit");
    if (!Files.isDirectory(audit)) {
      return false;
    }
    try (Stream<Path> files = Files.list(audit)) {
      return files.map(file -> audit.relativize(file).toString()).filter(name -> name.startsWith(".log-id")).toList()
          .equals(List.of(".log-id"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertRefused(String round) throws IOException {
    Await.until("the service is at rest", this::hasLastFile);
    SortedMap<String, String> before = files();
    assertOutcomes(attemptAll(REFUSED.keySet(), round), REFUSED);
    assertThat(files()).isEqualTo(before);
  }

  @Test
  @DisplayName("In config/application.yaml: each of them has the lock in its turn")
  void byFile() throws Exception {
    Files.writeString(tower.home().resolve("config/application.yaml"), "tower.database.url: " + database + "\n");
    serve();

    assertExclusive("by-file");

    assertThat(tower.home().resolve("logs/locks/x.lock")).doesNotExist();
  }

  @Test
  @DisplayName("In the service's environment only: the others refuse and write nothing, and have their turn with it")
  @ProofsProfile
  void byVariable() throws Exception {
    tower.with(VARIABLE, database);
    serve();
    tower.without(VARIABLE);
    CompletableFuture<Outcome> held = enter(Program.SERVICE, "alone");

    assertRefused("beside-run");
    assertThat(inside()).containsExactly("alone");
    leave(Program.SERVICE, "alone", held);
    assertRefused("lock-free");
    assertNoOverlap(1);

    tower.with(VARIABLE, database);
    assertExclusive("by-variable");
  }
}
