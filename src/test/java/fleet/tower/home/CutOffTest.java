package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.sql.StallingProxy;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.SubmitOutcome;

@DisplayName("A host that is cut off from its database, real processes and a real server")
class CutOffTest {
  /** As many bytes more show that a step still runs. */
  private static final int MARKS = 100;
  private static final LeaseName PROD = new LeaseName("prod");

  private final Scheduler scheduler = SystemTime.scheduler();
  private final String url = PostgresServer.newDatabase();

  @TempDir
  private Path temp = Path.of("not-yet");

  private Home home(String name, String through, String... more) {
    Map<String, String> environment = new HashMap<>(
        Map.of("TOWER_DATABASE_URL", through, "TOWER_HOST_ID", name, "TOWER_LOCK_INSECURE_DIRECTORY", "true"));
    for (int i = 0; i < more.length; i += 2) {
      environment.put(more[i], more[i + 1]);
    }
    return new Home(temp.resolve(name), environment, _ -> {}, Home.Listener.NONE);
  }

  @Test
  @DisplayName("TF-A5 a run that cannot renew its lock has ended its step before another holder can get the lock")
  void stopsBeforeOthersMayHaveIt() throws IOException {
    Path marks = temp.resolve("marks");
    // Its lease ends three seconds after the alarm that stops the step, and counts as stale a second later.
    intent("here", "stop", 15, marks);
    try (StallingProxy wire = new StallingProxy(url);
        Home here = home("here", wire.url());
        Home there = home("there", url)) {
      RunEngine engine = here.runs().engine();
      RunHandle handle = submitted(engine);
      awaitMark(marks);
      wire.stall();
      Await.until("the lock is stale",
          () -> there.locks().view(PROD).leaseState() instanceof LeaseState.Held held && held.isStale());
      long whenStale = Files.size(marks);
      scheduler.pause(Duration.ofMillis(500));

      assertThat(Files.size(marks)).as("the step continues while its lock can be taken").isEqualTo(whenStale);
      wire.goOn();
      Run run = handle.await();
      assertThat(run.status()).isEqualTo(RunStatus.LOCK_LOST);
      // No other holder took the lock meanwhile, so the steps are undone if the first renewal after the stall succeeds.
      assertThat(run.progress().rollbackSkipped()).isIn(null, "lock lost");
      assertThat(there.locks().view(PROD).state()).isEqualTo(LeaseState.State.FREE);
      assertThat(audit("here")).containsSubsequence("\"event\":\"heartbeat_failed\"", "\"event\":\"lock_lost\"",
          "given up before its time was over", "\"error\":\"", "\"event\":\"lock_released\"");
      engine.close(Duration.ZERO);
    }
  }

  @Test
  @DisplayName("The file HALT stops a step that ignores TERM while the database does not answer")
  void halted() throws IOException {
    Path marks = temp.resolve("marks");
    intent("here", "continue", 300, marks);
    try (StallingProxy wire = new StallingProxy(url); Home here = home("here", wire.url())) {
      RunEngine engine = here.runs().engine();
      RunHandle handle = submitted(engine);
      awaitMark(marks);
      wire.stall();
      Files.writeString(temp.resolve("here/HALT"), "kill wrong release\n");
      Await.until("the halt is known", () -> !handle.run().warnings().isEmpty());
      Await.until("the step is killed",
          () -> handle.run().progress().steps().getFirst().status() == StepRecord.Status.CANCELLED);
      wire.goOn();

      Run run = handle.await();
      assertThat(run.status()).isEqualTo(RunStatus.CANCELLED);
      assertThat(run.warnings().getFirst()).startsWith("halt HALT of ").endsWith(": wrong release; the run is stopped");
      assertThat(run.progress().rollback()).hasSize(1);
      assertThat(here.locks().view(PROD).state()).isEqualTo(LeaseState.State.FREE);
      assertThat(engine.runs().submit(request())).isInstanceOf(SubmitOutcome.Barred.class);
      engine.close(Duration.ZERO);
    }
  }

  @Test
  @DisplayName("A run configured to continue without its lock continues when cut off, and keeps the lock once "
      + "it can renew it")
  @ProofsProfile
  void goesOn() throws IOException {
    Path marks = temp.resolve("marks");
    intent("here", "continue", 3, marks);
    try (StallingProxy wire = new StallingProxy(url); Home here = home("here", wire.url())) {
      RunEngine engine = here.runs().engine();
      RunHandle handle = submitted(engine);
      awaitMark(marks);
      wire.stall();
      scheduler.pause(Duration.ofSeconds(4));
      long afterTtl = Files.size(marks);
      while (Files.size(marks) <= afterTtl + MARKS) {
        scheduler.pause(Duration.ofMillis(5));
      }
      wire.goOn();
      Files.createFile(temp.resolve("enough"));
      Run run = handle.await();
      assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
      engine.close(Duration.ZERO);
    }
  }

  @Test
  @DisplayName("With tower.lock.store=file a fleet's host keeps its locks on files; any value but database is rejected")
  void keepsThemOnFiles() {
    try (Home files = home("files", url, "TOWER_LOCK_STORE", "file"); Home fleet = home("fleet", url)) {
      assertThat(files.locks().pathOf(PROD)).isEqualTo(temp.resolve("files/logs/locks/prod.lock").toString());
      assertThat(fleet.locks().pathOf(PROD)).startsWith("postgresql://localhost:").endsWith("#locks/prod");
      assertThat(fleet.upkeep().doctor().examine().toString())
          .contains("message=intact, schema", "check=locks, severity=ok")
          .doesNotContain("check=lock directory");
    }
    try (Home wrong = home("wrong", url, "TOWER_LOCK_STORE", "redis")) {
      assertThatThrownBy(wrong::locks).hasMessageContaining("TOWER_LOCK_STORE is 'redis'; it may be file or database");
    }
  }

  private String audit(String home) throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> days = Files.list(temp.resolve(home).resolve("logs/audit"))) {
      for (Path day : days.filter(file -> file.toString().endsWith(".jsonl")).toList()) {
        all.append(Files.readString(day));
      }
    }
    return all.toString();
  }

  private void awaitMark(Path marks) {
    Await.until("the step is at work", () -> Files.exists(marks));
  }

  private static RunRequest request() {
    return new RunRequest("mark", Map.of(), null, null,
        new Run.Origin(new Actor("ann", Door.RUN), "{}", null), LockTerms.PLAIN, null, null);
  }

  private static RunHandle submitted(RunEngine engine) {
    SubmitOutcome submission = engine.runs().submit(request());
    if (submission instanceof SubmitOutcome.Accepted(RunHandle handle, boolean _)) {
      return handle;
    }
    throw new AssertionError(submission.toString());
  }

  /** It takes no notice of TERM, and writes down that it is there some times a second. */
  private void intent(String home, String onLockLost, int ttlSeconds, Path marks) throws IOException {
    Path intents = Files.createDirectories(temp.resolve(home).resolve("intents"));
    Files.writeString(intents.resolve("mark.yaml"), String.join("\n", List.of("apiVersion: tower-fleet/intent/v1",
        "kind: Intent", "metadata:", "  name: mark", "  version: 1.0.0", "spec:", "  mode: mutate", "  controls:",
        "    lock: prod", "    on_lock_lost: " + onLockLost, "  timeouts:", "    lock_ttl: " + ttlSeconds, "  steps:",
        "    - name: mark", "      rollback: [\"true\"]", "      script: |", "        trap '' TERM",
        "        while [ ! -e " + temp.resolve("enough") + " ]; do echo mark >> " + marks + "; sleep 0.05; done",
        "")));
  }
}
