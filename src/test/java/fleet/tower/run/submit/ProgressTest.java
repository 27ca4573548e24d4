package fleet.tower.run.submit;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.harness.Await;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.Locks;
import fleet.tower.lock.TestRequest;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;

/** Runs of intents with {@code heartbeat: progress}; their locks live for 60 s and are renewed every 20 s. */
class ProgressTest {
  private static final Duration INTERVAL = Duration.ofSeconds(20);
  private static final RequestId RUN = new RequestId("r1");
  private static final Actor ALICE = new Actor("alice", Door.HTTP);
  @AutoClose
  private final TestExecutor works;

  ProgressTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
  }

  private RunHandle begin(IntentBuilder intent) {
    works.with(intent.ttl(60).provingProgress());
    return works.accepted(TestExecutor.request("deploy", "r1"));
  }

  private static IntentBuilder deploy() {
    return IntentBuilder.mutate("deploy").lock("prod").undoable("one");
  }

  private String lock() {
    return works.locks.view(new LeaseName("prod")).state().toString();
  }

  /** Somebody forces a stale lock. */
  private void steal() {
    assertThat(works.locks.acquire(TestRequest.of(new LeaseName("prod"), new RequestId("thief"),
        new Holder("bob", "manual", "none", "tower-02", 1, false), new Ttl(900), true)))
        .isInstanceOf(AcquireOutcome.Granted.class);
  }

  @Test
  @DisplayName("A silent step renews nothing: heartbeat_failed says since when, its lock goes stale, and its run "
      + "continues")
  void silence() {
    RunHandle handle = begin(deploy());
    works.processes.awaitStart(1);
    Instant begun = works.time.now();

    works.time.advance(INTERVAL);
    assertThat(handle.lastHeartbeat()).contains(begun.plus(INTERVAL));
    works.time.advance(Duration.ofSeconds(60));
    assertThat(lock()).isEqualTo("active");
    assertThat(works.audit.events()).filteredOn(AuditEvent.HeartbeatFailed.class::isInstance)
        .singleElement().isInstanceOfSatisfying(AuditEvent.HeartbeatFailed.class, event -> {
          assertThat(event.error()).isEqualTo("no progress since 2026-01-01T10:00:00Z");
          assertThat(event.consecutiveFailures()).isEqualTo(3);
          assertThat(event.lastHeartbeatAt()).isEqualTo("2026-01-01T10:00:20Z");
        });
    works.time.advance(Duration.ofSeconds(1));

    assertThat(lock()).isEqualTo("stale");
    assertThat(handle.run().status()).isEqualTo(RunStatus.RUNNING);
    assertThat(handle.run().warnings())
        .containsExactly("the lock could not be renewed 3 times in a row: no progress since 2026-01-01T10:00:00Z");
    works.processes.awaitStart(1).exit(0);
    assertThat(handle.await().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.isLocked("prod")).isFalse();
  }

  @Test
  @DisplayName("A stuck run whose lock is taken stops and rolls nothing back, as with any lost lock")
  void stolen() {
    RunHandle handle = begin(deploy());
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.time.advance(Duration.ofSeconds(81));
    steal();

    works.time.advance(INTERVAL);
    Run run = handle.await();

    assertThat(one.isStopped()).isTrue();
    assertThat(run.status()).isEqualTo(RunStatus.LOCK_LOST);
    assertThat(run.progress().rollbackSkipped()).isEqualTo("lock lost");
    assertThat(works.audit.events()).filteredOn(AuditEvent.LockLost.class::isInstance).hasSize(1);
    assertThat(lock()).isEqualTo("active");
  }

  @Test
  @DisplayName("A stuck run that may continue without its lock does so when the lock is taken, and rolls nothing back")
  void stolenAndGoesOn() {
    RunHandle handle = begin(deploy().goOnWhenLost());
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.time.advance(Duration.ofSeconds(81));
    steal();
    works.time.advance(INTERVAL);
    one.exit(1);
    Run run = handle.await();

    assertThat(one.isStopped()).isFalse();
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.progress().rollbackSkipped()).isEqualTo("lock lost");
  }

  @Test
  @DisplayName("A step that fails after its lock was taken is not rolled back, even before a heartbeat detects the loss")
  void looksBeforeUndoing() {
    RunHandle handle = begin(deploy());
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.time.advance(Duration.ofSeconds(81));
    steal();
    one.exit(1);
    Run run = handle.await();

    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.progress().rollback()).allMatch(piece -> piece.status() == StepRecord.Status.SKIPPED);
    assertThat(run.progress().rollbackSkipped()).isEqualTo("lock lost");
    assertThat(works.processes.events()).containsExactly("start one", "end one");
    assertThat(lock()).isEqualTo("active");
  }

  @Test
  @DisplayName("Work that makes progress before its lock is taken renews it at once, not at the next interval")
  void goesOn() {
    RunHandle handle = begin(deploy());
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.time.advance(Duration.ofSeconds(105));
    assertThat(lock()).isEqualTo("stale");

    one.print(".");
    works.time.advance(Duration.ofMillis(100));
    assertThat(lock()).isEqualTo("active");
    assertThat(handle.lastHeartbeat()).contains(Instant.parse("2026-01-01T10:01:45Z"));
    one.exit(0);

    assertThat(handle.await().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.isLocked("prod")).isFalse();
  }

  @Test
  @DisplayName("Any output is progress, even half a line, or output that is not kept")
  void output() {
    begin(deploy());
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    for (int i = 0; i < 10; i++) {
      works.time.advance(Duration.ofSeconds(19));
      one.print(".");
    }
    for (int i = 0; i < 10; i++) {
      works.time.advance(Duration.ofSeconds(19));
      one.printInVain();
    }
    assertThat(lock()).isEqualTo("active");
    assertThat(works.audit.events()).noneMatch(AuditEvent.HeartbeatFailed.class::isInstance);
    works.time.advance(Duration.ofSeconds(82));
    assertThat(lock()).isEqualTo("stale");
    one.exit(0);
  }

  @Test
  @DisplayName("Output just before a renewal counts for it")
  void outputAtTheLastMoment() {
    RunHandle handle = begin(deploy());
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.time.advance(INTERVAL);
    works.time.advance(INTERVAL.minusMillis(50));
    one.print("x");
    works.time.advance(Duration.ofMillis(50));

    assertThat(handle.lastHeartbeat()).contains(Instant.parse("2026-01-01T10:00:40Z"));
    one.exit(0);
  }

  @Test
  @DisplayName("However much is printed, it counts as at most ten beats per second")
  void muchOutput() {
    RunHandle handle = begin(deploy());
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    long before = handle.heartbeat().orElseThrow().beats();
    for (int i = 0; i < 1000; i++) {
      one.printInVain();
      works.time.advance(Duration.ofMillis(1));
    }
    assertThat(handle.heartbeat().orElseThrow().beats() - before).isBetween(9L, 10L);
    one.exit(0);
  }

  @Test
  @DisplayName("WI-9 the start and the end of a step are beats, also in the rollback")
  void boundaries() {
    works.with(deploy().undoable("two").ttl(60).provingProgress());
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    for (int step = 1; step <= 4; step++) {
      ManualProcesses.Hand hand = works.processes.awaitStart(step);
      works.time.advance(Duration.ofSeconds(25));
      assertThat(lock()).isEqualTo("active");
      hand.exit(step == 2 ? 1 : 0);
      int next = step;
      Await.until("the run has gone on",
          () -> next == 4 || works.processes.events().contains("start " + List.of("two", "two.rollback",
              "one.rollback").get(next - 1)));
    }

    assertThat(handle.await().status()).isEqualTo(RunStatus.FAILED);
    assertThat(works.audit.events()).noneMatch(AuditEvent.HeartbeatFailed.class::isInstance);
  }

  @Test
  @DisplayName("A write to the heartbeat file of a step is a beat, and so is a heartbeat of another process")
  void outside() throws IOException {
    RunHandle handle = begin(deploy());
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    Path file = Path.of(one.command().environment().get("TOWER_BEAT_FILE"));
    works.time.advance(INTERVAL);
    Files.write(file, new byte[]{1});
    works.time.advance(INTERVAL);
    assertThat(handle.lastHeartbeat()).contains(Instant.parse("2026-01-01T10:00:40Z"));
    assertThat(works.outside.send(RUN)).isTrue();
    works.time.advance(INTERVAL);
    assertThat(handle.lastHeartbeat()).contains(Instant.parse("2026-01-01T10:01:00Z"));
    works.time.advance(INTERVAL);
    assertThat(handle.lastHeartbeat()).contains(Instant.parse("2026-01-01T10:01:00Z"));
    assertThat(works.runs.beat(RUN, ALICE)).isEqualTo(new Runs.BeatOutcome.Recorded());
    works.time.advance(INTERVAL);
    assertThat(handle.lastHeartbeat()).contains(Instant.parse("2026-01-01T10:01:20Z"));

    one.exit(0);
    handle.await();
    Await.until("the run has gone on", () -> !Files.exists(file));
    assertThat(works.outside.send(RUN)).isFalse();
  }

  @Test
  @DisplayName("If the heartbeat file cannot be created, the run warns, and its output still counts")
  void noFile() throws IOException {
    Files.createFile(works.beats());
    RunHandle handle = begin(deploy());
    ManualProcesses.Hand one = works.processes.awaitStart(1);

    assertThat(one.command().environment()).containsEntry("TOWER_BEAT_FILE", "/dev/null");
    assertThat(handle.run().warnings()).singleElement().asString()
        .startsWith("the run cannot receive heartbeats from outside: ");
    works.time.advance(INTERVAL);
    one.print(".");
    works.time.advance(INTERVAL);
    assertThat(handle.lastHeartbeat()).contains(Instant.parse("2026-01-01T10:00:40Z"));
    one.exit(0);
  }

  @Test
  @DisplayName("A run whose intent requires no progress keeps its lock without output, and beats by the clock")
  void timer() {
    works.with(deploy().ttl(60));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    assertThat(one.command().environment()).containsEntry("TOWER_BEAT_FILE", "/dev/null");
    long before = handle.heartbeat().orElseThrow().beats();
    works.time.advance(Duration.ofSeconds(90));

    assertThat(handle.heartbeat().orElseThrow().beats() - before).isEqualTo(3);
    assertThat(lock()).isEqualTo("active");
    works.time.advance(Duration.ofSeconds(90));
    assertThat(lock()).isEqualTo("active");
    assertThat(works.runs.beat(RUN, ALICE)).isEqualTo(new Runs.BeatOutcome.NotNeeded());
    one.exit(0);
    handle.await();
    assertThat(works.runs.beat(RUN, ALICE)).isEqualTo(new Runs.BeatOutcome.Finished());
    assertThat(works.runs.beat(new RequestId("r2"), ALICE)).isEqualTo(new Runs.BeatOutcome.NotFound());
  }

  @Test
  @DisplayName("A run that waits for its lock beats by the clock, whatever its intent; after its end nothing beats")
  void waiting() {
    works.hold("prod", "other");
    works.with(deploy().ttl(60).provingProgress());
    works.processes.plan("one", new Processes.Exited(0));
    RunHandle handle = works.accepted(
        TestExecutor.request("deploy", "r1", new LockTerms(false, Duration.ofMinutes(30))));
    works.awaitWaiter("prod");
    works.time.advance(Duration.ofSeconds(95));
    assertThat(handle.heartbeat().orElseThrow().beats()).isEqualTo(3);

    if (works.locks.view(new LeaseName("prod")).leaseState() instanceof LeaseState.Held held) {
      works.locks.release(ACTOR, held.lease().name(), held.lease().owner(), held.lease().token(), Locks.Result.SUCCESS,
          null);
    }
    assertThat(handle.await().status()).isEqualTo(RunStatus.SUCCEEDED);
    Await.until("the run has gone on", () -> works.runs.active() == 0);
    long beats = handle.heartbeat().orElseThrow().beats();
    works.time.advance(Duration.ofHours(1));
    assertThat(handle.heartbeat().orElseThrow().beats()).isEqualTo(beats);
  }
}
