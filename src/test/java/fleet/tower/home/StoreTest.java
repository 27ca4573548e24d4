package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.Main;
import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.service.config.TestService;

@DisplayName("TF-1.1 a home has one store of locks: every program uses it, or refuses")
class StoreTest {
  private static final List<String> LOOKS = List.of("check x", "exists x", "why x", "locks", "locks x", "runs",
      "task list", "mailbox count box", "audit", "fence x --token 1");
  private static final List<String> CHANGES = List.of("lock x", "guard x -- touch ran", "run work", "run work --queue",
      "plan work", "heartbeat x --request-id r1", "unlock x --request-id r1", "force-release x --reason test",
      "freeze x --ttl 1m --reason test", "unfreeze x", "task create t --agent a --request-id r1",
      "task claim --agent a --request-id r2", "mailbox send box text --text", "mailbox receive box",
      "token create ci --role agent", "gc", "task work --agent a -- true");

  private final Path directory;
  private final TestHome home;
  private final String url = PostgresServer.newDatabase();

  StoreTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    home = new TestHome(directory.resolve("home"));
    TestService.declare(home.root(), "work", """
        mode: mutate
        controls: { lock: x }
        steps: [{ name: one, run: [touch, ran] }]
        """);
  }

  private void configure(String yaml) throws IOException {
    Files.writeString(home.root().resolve("config/application.yaml"), yaml);
  }

  private static String lock(String requestId) {
    return "{\"request_id\":\"" + requestId + "\"}";
  }

  private SortedMap<String, String> content() throws IOException {
    SortedMap<String, String> content = new TreeMap<>();
    try (Stream<Path> files = Files.walk(home.root())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        content.put(home.root().relativize(file).toString(),
            new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
      }
    }
    return content;
  }

  private void assertAllRefused(String problem) throws IOException {
    SortedMap<String, String> before = content();
    for (String line : Stream.concat(LOOKS.stream(), CHANGES.stream()).toList()) {
      Outcome refused = home.run((line + (line.contains("--") ? "" : " --json")).split(" ", -1));
      assertThat(refused.exit()).as(line + ": " + refused).isIn(69, line.startsWith("guard") ? 75 : 69);
      assertThat(refused.out() + refused.err()).as(line).contains("the locks of this home are in", problem);
    }
    assertThat(content()).isEqualTo(before);
    assertThat(Path.of("ran")).doesNotExist();
  }

  @Test
  @DisplayName("A database in config/application.yaml moves commands, guards and the service alike")
  void byFile() throws IOException {
    configure("tower:\n  database:\n    url: " + url + "\n");
    try (TestService service = new TestService(home.root())) {
      assertThat(service.post("/locks/x", lock("by-service")).status()).isEqualTo(201);

      assertThat(home.tower("check x").exit()).isEqualTo(1);
      assertThat(home.tower("lock x --json").errorCode()).isEqualTo("lock_blocked");
      assertThat(home.tower("guard x -- touch ran").exit()).isEqualTo(75);
      assertThat(home.tower("run work --json").errorCode()).isEqualTo("lock_blocked");
      assertThat(home.tower("doctor").out()).containsPattern("ok +store +the locks are in postgresql://");

      assertThat(service.call("DELETE", "/locks/x?request_id=by-service", "").status()).isEqualTo(200);
      assertThat(home.tower("lock x --request-id by-command").exit()).isZero();
      assertThat(service.post("/locks/x", lock("second")).status()).isEqualTo(409);
    }
    assertThat(home.root().resolve("logs/locks/x.lock")).doesNotExist();
  }

  @Test
  @DisplayName("A database that only the service knows, as from its unit: every command refuses and writes nothing")
  @ProofsProfile
  void byService() throws IOException {
    try (TestService service = new TestService(home.root(), "--tower.database.url=" + url)) {
      assertThat(service.post("/locks/x", lock("by-service")).status()).isEqualTo(201);
      assertThat(service.get("/actuator/health/readiness").body()).contains("\"store\"", "\"locks\":\"database\"");
    }

    assertAllRefused("set tower.database.url in config/application.yaml");
    assertThat(home.tower("doctor").out()).containsPattern("fail +store +the locks of this home are in postgresql://");
    assertThat(home.tower("home").err()).contains("the locks are in postgresql://");
    home.with("TOWER_DATABASE_URL", url);
    assertThat(home.tower("check x").exit()).isEqualTo(1);
    assertThat(home.tower("doctor").out()).containsPattern("ok +store ");
  }

  @Test
  @DisplayName("A home on files refuses a database, and another database than its own without a change to that")
  void byCommand() throws IOException {
    assertThat(home.tower("check x").exit()).isEqualTo(3);
    assertThat(home.root().resolve("state/store")).doesNotExist();
    assertThat(home.tower("lock x --request-id r1").exit()).isZero();
    home.with("TOWER_DATABASE_URL", url);

    assertAllRefused("or move them with `tower move`");

    TestHome other = new TestHome(directory.resolve("other")).with("TOWER_DATABASE_URL", url);
    assertThat(other.tower("lock x --request-id r1").exit()).isZero();
    String second = PostgresServer.newDatabase();
    other.with("TOWER_DATABASE_URL", second);
    Outcome refused = other.tower("lock x --request-id r2");
    assertThat(refused.exit()).as(refused.toString()).isEqualTo(69);
    assertThat(refused.err()).contains("correct tower.database.url");
    assertThat(new DirectTables(second).look("SELECT to_regclass('runs') IS NULL")).containsExactly("t");
  }

  @Test
  @DisplayName("A database where nothing listens: commands fail, and grant nothing from files")
  void unreachable() throws IOException {
    configure("tower.database.url: jdbc:postgresql://127.0.0.1:1/tower?user=t\n");

    for (String line : List.of("lock x", "check x", "run work", "guard x -- touch ran")) {
      assertThat(home.tower(line).exit()).as(line).isIn(69, line.startsWith("guard") ? 75 : 69);
    }
    assertThat(home.root().resolve("logs/locks/x.lock")).doesNotExist();
  }

  @Test
  @DisplayName("A home without a mark has the store of what it holds: lock files or records")
  void withoutMark() throws IOException {
    assertThat(home.tower("lock x --request-id r1").exit()).isZero();
    Files.delete(home.root().resolve("state/store"));
    home.with("TOWER_DATABASE_URL", url);
    assertThat(home.tower("lock x").exit()).isEqualTo(69);

    TestHome tasks = new TestHome(directory.resolve("tasks"));
    assertThat(tasks.tower("task create t --agent a --request-id r1").exit()).isZero();
    Files.delete(tasks.root().resolve("state/store"));
    assertThat(tasks.with("TOWER_DATABASE_URL", url).tower("task list").exit()).isEqualTo(69);

  }

  @Test
  @DisplayName("Locks kept in files beside a database: the mark says so, and a command without that setting refuses")
  void locksInFiles() throws IOException {
    home.with("TOWER_DATABASE_URL", url).with("TOWER_LOCK_STORE", "file");
    assertThat(home.tower("lock x --request-id r1").exit()).isZero();
    assertThat(home.root().resolve("logs/locks/x.lock")).exists();
    assertThat(home.tower("home").err()).contains("the locks are in its files, beside the database postgresql://");

    home.with("TOWER_LOCK_STORE", "");
    assertAllRefused("tower.lock.store");
    home.with("TOWER_DATABASE_URL", "");
    assertAllRefused("tower.database.url");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tower:\n  lok: 1\n", "tower: [\n", "tower:\n  queue:\n    workers: many\n"})
  @DisplayName("An invalid file stops every command that needs the home, with its place; others work")
  void invalidFile(String yaml) throws IOException {
    configure(yaml);

    for (String line : Stream.of(LOOKS, CHANGES, List.of("doctor", "settings", "home", "serve", "validate")).flatMap(
        List::stream).toList()) {
      Outcome refused = home.tower(line);
      assertThat(refused.exit()).as(line + ": " + refused).isIn(78, line.startsWith("guard") ? 75 : 78);
      assertThat(refused.err()).as(line).containsPattern(home.root() + "/config/application.yaml:\\d+:\\d+: ");
    }
    assertThat(home.tower("version").exit()).isZero();
    assertThat(home.root().resolve("state/store")).doesNotExist();
  }

  @Test
  @DisplayName("`tower settings` lists each value with its place, and shows no password")
  void settings() throws IOException {
    configure("tower:\n  queue.workers: 3\n  database.url: jdbc:postgresql://db/t?user=u&password=SECRET&ssl=true\n");
    Outcome text = home.tower("settings");

    assertThat(text.exit()).isZero();
    assertThat(text.out()).containsPattern("SETTING +VALUE +FROM")
        .containsPattern("tower.queue.workers +3 +config/application.yaml:2")
        .containsPattern("tower.host-id +tower-01 +TOWER_HOST_ID").containsPattern("tower.shutdown.grace +20s +default")
        .contains("jdbc:postgresql://db/t?user=u&password=***&ssl=true").doesNotContain("SECRET");
    assertThat(home.tower("settings --json").data().raw()).contains(
        "{\"key\":\"tower.queue.workers\",\"value\":\"3\",\"source\":\"file\",\"place\":\"config/application.yaml:2\"}",
        "{\"key\":\"tower.shutdown.grace\",\"value\":\"20s\",\"source\":\"default\"}").doesNotContain("SECRET");
  }

  private Process tower(Map<String, String> environment, String... line) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(JavaProcess.command(Main.class, line)).redirectErrorStream(true)
        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(Map.of("TOWER_HOME", home.root().toString(), "TOWER_LOCK_INSECURE_DIRECTORY", "true"));
    builder.environment().putAll(environment);
    return builder.start();
  }

  @Test
  @DisplayName("Many processes start at once in a new home, half of them with a database: those that succeed agree")
  @ProofsProfile
  void manyAtOnce() throws IOException {
    List<Process> onFiles = new ArrayList<>();
    List<Process> onDatabase = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      onFiles.add(tower(Map.of(), "lock", "x" + i));
      onDatabase.add(tower(Map.of("TOWER_DATABASE_URL", url), "lock", "x" + i));
    }
    List<Integer> files = onFiles.stream().map(Await::exitOf).toList();
    List<Integer> database = onDatabase.stream().map(Await::exitOf).toList();

    boolean isOnFiles = Files.readString(home.root().resolve("state/store")).contains("\"locks\": \"files\"");
    assertThat(isOnFiles ? files : database).containsOnly(0);
    assertThat(isOnFiles ? database : files).containsOnly(69);
    try (Stream<Path> state = Files.list(home.root().resolve("state"))) {
      assertThat(state.map(file -> file.getFileName().toString())).noneMatch(name -> name.endsWith(".new"));
    }
  }

  @Test
  @DisplayName("`tower mcp` on stdin refuses too, before it reads a message")
  @ProofsProfile
  void mcp() throws IOException {
    assertThat(home.tower("lock x --request-id r1").exit()).isZero();

    assertThat(Await.exitOf(tower(Map.of(), "mcp"))).isZero();
    assertThat(Await.exitOf(tower(Map.of("TOWER_DATABASE_URL", url), "mcp"))).isEqualTo(69);
    configure("tower.lok: 1\n");
    assertThat(Await.exitOf(tower(Map.of(), "mcp"))).isEqualTo(78);
  }
}
