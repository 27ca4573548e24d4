package fleet.tower.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.config.TestService;

/** Tests {@code bin/lock-manager.sh}, sourced by bash like the script of section 10.2 of the specification. */
class LockManagerScriptTest {
  private static final Instant LONG_AGO = Instant.parse("2026-01-01T10:00:00Z");
  private final Installation tower;
  private final Path locks;

  LockManagerScriptTest(@TempDir Path directory) throws IOException {
    tower = new Installation(directory.resolve("a release")).with("ACTOR", "claude-code");
    locks = Files.createDirectories(tower.home().resolve("logs/locks"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  private Result bash(String script) {
    return tower.run(List.of("bash", "-c", "set +e; source bin/lock-manager.sh; set +e\n" + script));
  }

  private Path lock(String name) {
    return locks.resolve(name + ".lock");
  }

  private void staleLock(String name) throws IOException {
    Files.writeString(lock(name), TestHome.foreignText(name, LONG_AGO, 900));
  }

  @Test
  @DisplayName("TF-4.2 TF-10.2 acquire_lock and release_lock take the specification's arguments and print its messages")
  void acquireAndRelease() {
    Result result = bash("""
        acquire_lock money-tracker-production req_abc123def456 deploy-app 1.2.0; echo $?
        cp "$LOCK_DIR/money-tracker-production.lock" "$TOWER_HOME/seen"; echo $$
        release_lock money-tracker-production req_other; echo $?
        release_lock money-tracker-production req_abc123def456; echo $?
        release_lock money-tracker-production req_abc123def456; echo $?
        """);

    JsonObject seen = TestHome.json(TestHome.text(tower.home().resolve("seen")));
    List<String> lines = result.out().lines().toList();
    assertThat(lines).containsExactly("Lock acquired: money-tracker-production", "0", lines.get(2), "1",
        "Lock released: money-tracker-production", "0", "0");
    assertThat(result.err().lines()).containsExactly("ERROR: Lock held by different request: req_abc123def456",
        "WARN: Lock file not found: " + lock("money-tracker-production"));
    assertThat(seen.raw()).contains("\"request_id\": \"req_abc123def456\"", "\"actor\": \"claude-code\"",
        "\"intent\": \"deploy-app\"", "\"intent_version\": \"1.2.0\"", "\"ttl_seconds\": 900");
    assertThat(seen.integer("pid")).hasValue(Long.parseLong(lines.get(2)));
    assertThat(lock("money-tracker-production")).doesNotExist();
    assertThat(new TestHome(tower.home()).audit()).filteredOn(line -> line.contains("\"event\":\"lock_actor\""))
        .hasSize(2)
        .allMatch(line -> line.contains("\"door\":\"script\""));
  }

  @Test
  @DisplayName("TF-10.2 a host with only the specification's lock directory needs `tower init`, which keeps its locks")
  @ProofsProfile
  void specificationsHost() throws IOException {
    Path host = tower.root().resolve("tower-fleet");
    tower.with("TOWER_HOME", host.toString());
    Path held = Files.createDirectories(host.resolve("logs/locks")).resolve("nightly.lock");
    Files.setPosixFilePermissions(held.getParent(), PosixFilePermissions.fromString("rwx------"));
    String text = TestHome.foreignText("nightly", LONG_AGO, 900);
    Files.writeString(held, text);

    assertThat(bash("").err()).contains(host + ", named by TOWER_HOME, is not a home");
    assertThat(tower.tower("init", host.toString()).exit()).isZero();
    Result result = bash("acquire_lock nightly req_1 deploy 1; echo $?; acquire_lock other req_1 deploy 1");

    assertThat(result.out()).isEqualTo("1\nLock acquired: other\n");
    assertThat(result.err()).isEqualTo("ERROR: Lock is stale. Use --force-lock to acquire.\n" + text);
    assertThat(held).hasContent(text);
  }

  @Test
  @DisplayName("acquire_lock accepts an empty intent and an empty version, as the specification's script does")
  void emptyIntent() {
    Result result = bash("acquire_lock nightly req_1 '' ''; cat \"$LOCK_DIR/nightly.lock\"");

    assertThat(result.out()).startsWith("Lock acquired: nightly\n").contains("\"intent\": \"\"",
        "\"intent_version\": \"\"");
  }

  @Test
  @DisplayName("TF-4.1 TF-7.2 acquire_lock is blocked by a live lock, force or not, and shows it; a stale one needs force")
  void blockedAndStale() throws Exception {
    staleLock("old");

    Result result = bash("""
        acquire_lock prod first deploy-app 1.2.0
        acquire_lock prod second deploy-app 1.2.0 true; echo $?
        acquire_lock old second deploy-app 1.2.0; echo $?
        acquire_lock old second deploy-app 1.2.0 true; echo $?
        """);

    assertThat(result.out().lines()).containsExactly("Lock acquired: prod", "1", "1", "Lock acquired: old", "0");
    assertThat(result.err()).startsWith("ERROR: Lock is held by active process.\n" + TestHome.text(lock("prod")))
        .endsWith("ERROR: Lock is stale. Use --force-lock to acquire.\n" + TestHome.foreignText("old", LONG_AGO, 900));
    assertThat(TestHome.json(TestHome.text(lock("old"))).text("request_id")).hasValue("second");
  }

  @Test
  @DisplayName("TF-6.2 TF-B4 is_lock_stale and check: a stale lock is stale, and an unreadable one is not")
  @ProofsProfile
  void staleness() throws Exception {
    staleLock("old");
    Files.writeString(lock("empty"), "");

    Result result = bash("""
        is_lock_stale "$LOCK_DIR/old.lock"; echo $?
        is_lock_stale "$LOCK_DIR/empty.lock"; echo $?
        is_lock_stale "$LOCK_DIR/absent.lock"; echo $?
        acquire_lock empty r deploy-app 1.2.0 true; echo $?
        bin/lock-manager.sh check old; echo $?
        bin/lock-manager.sh check absent; echo $?
        bin/lock-manager.sh check; echo $?
        bin/lock-manager.sh; echo $?
        """);

    assertThat(result.out().lines()).containsExactly("0", "1", "1", "1", "stale", "0", "free", "3", "64", "64");
    assertThat(result.err()).contains("ERROR: Failed to acquire lock: tower: lock empty cannot be read",
        "usage: lock-manager.sh check");
    assertThat(lock("empty")).isEmptyFile();
  }

  @Test
  @DisplayName("TF-5.4 TF-B3 TF-B5 update_heartbeat renews only locks of this script, and never creates one")
  void heartbeat() throws Exception {
    staleLock("old");

    Result result = bash("""
        acquire_lock prod mine deploy-app 1.2.0
        update_heartbeat "$LOCK_DIR/prod.lock"; echo $?
        update_heartbeat "$LOCK_DIR/old.lock"; echo $?
        update_heartbeat "$LOCK_DIR/old.lock" mine; echo $?
        rm "$LOCK_DIR/prod.lock"
        if update_heartbeat "$LOCK_DIR/prod.lock"; then echo renewed; else echo $?; fi
        """);

    assertThat(result.out().lines()).containsExactly("Lock acquired: prod", "0", "1", "4", "3");
    assertThat(result.err().lines()).containsExactly(
        "ERROR: Lock old was not acquired here; give its request id as the second argument",
        "WARN: Heartbeat failed: lock old is not yours: held by claude-code on tower-02 (intent deploy-app, request"
            + " req_old123)",
        "WARN: Heartbeat failed: there is no lock prod");
    assertThat(lock("prod")).doesNotExist();
    assertThat(lock("old")).hasContent(TestHome.foreignText("old", LONG_AGO, 900));
  }

  @Test
  @DisplayName("Decision 17 the lock of a run is neither renewed nor released by the run's id, and the script says so")
  void lockOfRun() throws Exception {
    TestService.declare(tower.home(), "hold", """
        mode: mutate
        controls: { lock: prod }
        steps: [{ name: hold, script: 'touch begun; until [ -e go ]; do sleep 0.05; done' }]
        """);
    Process run = tower.start(List.of(tower.launcher().toString(), "run", "hold", "--request-id", "r1"));
    try {
      Await.until("the run works", () -> Files.exists(tower.home().resolve("begun")));
      String before = TestHome.text(lock("prod"));

      Result result = bash("""
          update_heartbeat "$LOCK_DIR/prod.lock" r1; echo $?
          release_lock prod r1; echo $?
          """);

      assertThat(result.out().lines()).containsExactly("4", "1");
      assertThat(result.err().lines()).hasSize(2).first().asString().startsWith("WARN: Heartbeat failed: lock prod is"
          + " not yours: request id r1 belongs to a run");
      assertThat(result.err()).endsWith(
          "ERROR: Request r1 is a run, which releases its lock itself; cancel it: tower cancel r1\n");
      assertThat(TestHome.text(lock("prod"))).isEqualTo(before);
      Files.createFile(tower.home().resolve("go"));
      assertThat(Await.exitOf(run)).isZero();
    } finally {
      Await.kill(run);
    }
  }

  @Test
  @DisplayName("Where the locks of the home are elsewhere, every function refuses, and says where they are")
  @ProofsProfile
  void elsewhere() throws Exception {
    assertThat(bash("acquire_lock prod mine deploy-app 1.2.0").exit()).isZero();
    String before = TestHome.text(lock("prod"));
    tower.with("TOWER_DATABASE_URL", "jdbc:postgresql://127.0.0.1:1/tower?user=t");

    Result result = bash("""
        acquire_lock other r2 deploy-app 1.2.0; echo $?
        release_lock prod mine; echo $?
        update_heartbeat "$LOCK_DIR/prod.lock" mine; echo $?
        is_lock_stale "$LOCK_DIR/prod.lock"; echo $?
        check prod; echo $?
        """);

    assertThat(result.out().lines()).containsExactly("1", "1", "69", "1", "69");
    String problem = "the locks of this home are in its files";
    assertThat(result.err()).contains("ERROR: Failed to acquire lock: tower: " + problem,
        "WARN: Heartbeat failed: " + problem);
    assertThat(result.err().lines().filter(line -> line.contains(problem))).hasSize(5);
    assertThat(TestHome.text(lock("prod"))).isEqualTo(before);
    assertThat(lock("other")).doesNotExist();
  }

  @Test
  @DisplayName("steal_lock takes a stale lock, and create_lock_json prints the specification's members")
  @ProofsProfile
  void stealAndCreate() throws Exception {
    staleLock("old");

    Result result = bash("""
        INTENT=cleanup steal_lock "$LOCK_DIR/old.lock" thief; echo $?
        create_lock_json prod r deploy-app 1.2.0 | tr -d '\\n '
        """);

    assertThat(result.out()).startsWith("Lock acquired: old\n0\n").matches(
        "(?s).*\\{\"lock_version\":\"v1\",\"lock_name\":\"prod\",\"request_id\":\"r\",\"actor\":\"claude-code\","
            + "\"intent\":\"deploy-app\",\"intent_version\":\"1.2.0\",\"host_id\":\".*\",\"pid\":\\d+,"
            + "\"created_at\":\".*Z\",\"last_heartbeat_at\":\".*Z\",\"ttl_seconds\":900,\"metadata\":\\{}}");
    assertThat(TestHome.json(TestHome.text(lock("old"))).text("intent")).hasValue("cleanup");
    assertThat(Files.readString(lock("old"), StandardCharsets.UTF_8)).contains("\"request_id\": \"thief\"");
  }

  @Test
  @DisplayName("TF-B1 exactly one of eight concurrent scripts acquires the lock")
  @ProofsProfile
  void race() {
    Result result = bash("""
        for i in 1 2 3 4 5 6 7 8; do
          ( acquire_lock prod "r$i" deploy-app 1.2.0 2>/dev/null && echo "r$i" ) &
        done
        wait
        """);

    List<String> lines = result.out().lines().toList();
    assertThat(lines).hasSize(2).first().isEqualTo("Lock acquired: prod");
    assertThat(TestHome.json(TestHome.text(lock("prod"))).text("request_id")).hasValue(lines.getLast());
  }
}
