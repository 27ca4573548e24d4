package fleet.tower.lease.keepalive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Locks kept alive by the progress of real steps")
class ProgressProcessTest {
  private static final int LOST = 6;
  /** A busy machine may take seconds for each {@code tower beat}. */
  private static final int TTL = 20;
  private static final int BRIEF_TTL = 6;

  private final Installation tower;
  private final TestHome home;
  private final Path directory;

  ProgressProcessTest(@TempDir Path directory) {
    this.directory = directory;
    tower = new Installation(directory.resolve("release"));
    home = new TestHome(tower.home());
    declare("silent", TTL, "sleep 300");
    declareDots(TTL);
    declare("file", TTL,
        "exec >\"$TOWER_HOME/file.out\" 2>&1; while sleep 2; do echo x; : >\"$TOWER_BEAT_FILE\"; done");
    declare("beats", TTL,
        "exec >\"$TOWER_HOME/beats.out\" 2>&1; while sleep 2; do (" + tower.launcher() + " beat); done");
    declare("called", TTL, "sleep 300");
    TestService.declare(tower.home(), "taker", """
        mode: mutate
        controls: { lock: silent }
        steps: [{ name: take, run: [echo, taken] }]
        """);
  }

  private void declareDots(int ttl) {
    declare("dots", ttl, "while sleep 0.5; do printf .; done");
  }

  private void declare(String name, int ttl, String script) {
    TestService.declare(tower.home(), name, """
        mode: mutate
        controls: { lock: %1$s, heartbeat: progress }
        timeouts: { lock_ttl: %3$d }
        steps:
          - name: work
            script: 'echo $$ >"$TOWER_HOME/%1$s.begun"; %2$s'
            rollback: [echo, undone]
        """.formatted(name, script, ttl));
  }

  @AfterEach
  void endSteps() {
    // A step that a failed test left stopped cannot end with its executor.
    for (String name : List.of("silent", "dots", "file", "beats", "called")) {
      if (Files.exists(begun(name))) {
        tower.run(List.of("bash", "-c", "kill -CONT -- -" + TestHome.text(begun(name)).strip() + " 2>/dev/null"));
      }
    }
  }

  private Path begun(String name) {
    return tower.home().resolve(name + ".begun");
  }

  private static String check(TestService service, String lock) {
    Answer answer = service.get("/locks/" + lock);
    return answer.status() == 404 ? "free" : answer.body().replaceAll(".*\"state\":\"(\\w+)\".*", "$1");
  }

  private List<String> audit(String event, String name) {
    return home.tower("audit --event " + event).out().lines().filter(line -> line.contains(name)).toList();
  }

  @Test
  @DisplayName("A silent step's lock goes stale, is taken by force, and its run is notified; output, writes, "
      + "tower beat and calls keep a lock")
  @ProofsProfile
  void service() {
    try (TestService service = new TestService(tower.home())) {
      for (String name : List.of("silent", "dots", "file", "beats", "called")) {
        assertThat(service.call("POST", "/intents/" + name, "{\"request_id\":\"" + name + "-1\"}", "Content-Type",
            "application/json", "Prefer", "respond-async").status()).isEqualTo(202);
      }
      Await.until("the called run has its lock",
          () -> service.post("/runs/called-1/beat", "").body().contains("\"beaten\":true"));
      try (Calls calls = new Calls(service)) {
        Await.until("the silent lock is stale", () -> check(service, "silent").equals("stale"));
        whileSilent(service);
        assertThat(calls.answers()).containsExactly("{\"request_id\":\"called-1\",\"beaten\":true}");
      }
      refusals(service);
      for (String name : List.of("dots", "file", "beats", "called")) {
        assertThat(service.post("/runs/" + name + "-1/cancel", "").status()).isEqualTo(202);
      }
      Await.until("all are over", () -> !service.get("/runs").body().contains("\"status\":\"running\""));
    }
  }

  /** Calls for a run until it is closed, while the test does something else. */
  private static final class Calls implements AutoCloseable {
    private final Set<String> answers = ConcurrentHashMap.newKeySet();
    private final Thread thread;
    private volatile boolean isOver;

    Calls(TestService service) {
      thread = Thread.ofVirtual().start(() -> {
        while (!isOver) {
          answers.add(service.post("/runs/called-1/beat", "").body());
          SystemTime.scheduler().pause(Duration.ofMillis(100));
        }
      });
    }

    Set<String> answers() {
      return answers;
    }

    @Override
    public void close() {
      isOver = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private void whileSilent(TestService service) {
    assertThat(List.of("dots", "file", "beats", "called")).allSatisfy(
        name -> assertThat(check(service, name)).as(name).isEqualTo("active"));
    assertThat(service.get("/runs/silent-1").body()).contains("\"status\":\"running\"",
        "\"heartbeat\":\"progress\"", "\"last_progress_at\":\"");
    assertThat(home.tower("why silent").out()).contains("no_progress: no progress since ",
        "try: tower runs silent-1");

    Result taken = tower.tower("run", "taker", "--force-lock");
    assertThat(taken.exit()).as(taken.err()).isZero();
    assertThat(taken.out()).contains("taken");
    Await.until("the silent run has lost its lock",
        () -> service.get("/runs/silent-1").body().contains("\"status\":\"lock_lost\""));

    assertThat(service.get("/runs/silent-1").body()).contains(
        "\"the lock could not be renewed 3 times in a row: no progress since ", "\"note\":\"skipped: lock lost\"");
    assertThat(audit("heartbeat_failed", "")).singleElement().asString().contains("\"request_id\":\"silent-1\"",
        "\"error\":\"no progress since ");
    assertThat(audit("lock_stolen", "silent")).singleElement().asString().contains("\"request_id\":\"silent-1\"");
    assertThat(audit("lock_lost", "")).singleElement().asString().contains("\"request_id\":\"silent-1\"");
  }

  private void refusals(TestService service) {
    assertThat(tower.tower("beat", "--request-id", "silent-1")).isEqualTo(new Result(1, "", """
        tower: run silent-1 has finished, so it needs no progress reports
          see how it ended: tower runs silent-1
        """));
    assertThat(tower.tower("beat", "--request-id", "nobody")).isEqualTo(new Result(3, "",
        "tower: there is no run nobody\n  see the newest runs: tower runs\n"));
    assertThat(tower.tower("beat").exit()).isEqualTo(64);
    assertThat(service.post("/runs/nobody/beat", "").status()).isEqualTo(404);
    assertThat(service.post("/runs/silent-1/beat", "")).satisfies(answer -> {
      assertThat(answer.status()).isEqualTo(409);
      assertThat(answer.body()).contains("\"error\":\"run_finished\"");
    });
    assertThat(tower.tower("beat", "--request-id", "dots-1")).isEqualTo(new Result(0, "", ""));
    tower.with("TOWER_TOKEN", service.token());
    assertThat(tower.tower("beat", "--request-id", "dots-1", "--server", service.url()))
        .isEqualTo(new Result(0, "", ""));
    assertThat(tower.tower("beat", "--request-id", "silent-1", "--server", service.url()).exit()).isEqualTo(1);
  }

  @Test
  @DisplayName("A step stopped by a signal loses its lock eventually and recovers it when it resumes; other "
      + "processes may beat for its run")
  @ProofsProfile
  void stopped() throws Exception {
    declareDots(BRIEF_TTL);
    tower.with("TOWER_HEARTBEAT_MAX_INTERVAL", "1s");
    Process run = tower.start(List.of(tower.launcher().toString(), "run", "dots", "--request-id", "dots-1"),
        directory.resolve("out"), directory.resolve("err"));
    Await.until("the step runs", () -> Files.exists(begun("dots")) && !TestHome.text(begun("dots")).isEmpty());
    String group = TestHome.text(begun("dots")).strip();
    signal("STOP", group);
    Await.until("its lock is stale", () -> home.tower("check dots").out().equals("stale\n"));

    String stale = home.lockText("dots");
    assertThat(tower.tower("beat", "--request-id", "dots-1")).isEqualTo(new Result(0, "", ""));
    Await.until("its lock is renewed after a beat", () -> !home.lockText("dots").equals(stale));
    Await.until("its lock is stale again", () -> home.tower("check dots").out().equals("stale\n"));
    signal("CONT", group);
    Await.until("its lock is kept alive by progress", () -> home.tower("check dots").out().equals("active\n"));

    assertThat(run.isAlive()).isTrue();
    signal("STOP", group);
    Await.until("its lock is stale", () -> home.tower("check dots").out().equals("stale\n"));
    assertThat(tower.tower("lock", "dots", "--force-lock", "--request-id", "thief").exit()).isZero();
    Await.until("the run has seen it", () -> !audit("lock_lost", "dots-1").isEmpty());
    assertThat(Await.exitOf(run)).as(TestHome.text(directory.resolve("err"))).isEqualTo(LOST);
    assertThat(home.tower("check dots").out()).isEqualTo("active\n");
    assertThat(tower.home().resolve("state/beats")).isEmptyDirectory();
  }

  private void signal(String signal, String group) throws IOException {
    assertThat(tower.run(List.of("bash", "-c", "kill -" + signal + " -- -" + group)).exit()).isZero();
  }
}
