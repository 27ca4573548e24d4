package fleet.tower.run.submit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunFeed;
import fleet.tower.run.execute.RunHandle;

/**
 * Runs whose locks live for 60 s: renewed every 20 s, after a failure every 3 s, for the last time at 45 s, and given
 * up at 48 s.
 */
@DisplayName("A run whose lock cannot be renewed")
class FailingHeartbeatRunTest {
  private static final String FIRST = "the lock was not renewed: ";
  private static final String THIRD = "the lock could not be renewed 3 times in a row: ";
  @AutoClose
  private final TestExecutor works;

  FailingHeartbeatRunTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
  }

  private RunHandle begin(IntentBuilder intent) {
    works.with(intent.ttl(60));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    works.processes.awaitStart(1);
    return handle;
  }

  private static IntentBuilder deploy() {
    return IntentBuilder.mutate("deploy").lock("prod").undoable("one");
  }

  private static long failures(Run run) {
    return requireNonNull(run.lock()).heartbeatFailures();
  }

  private List<String> events() {
    return works.audit.events().stream().map(event -> event.getClass().getSimpleName()).toList();
  }

  @Test
  @DisplayName("TF-5.6 it warns at the first and the third failure, with the error, and continues when the lock can be "
      + "renewed again")
  void recovers() {
    RunHandle handle = begin(deploy());
    works.blockRenewals("prod");

    works.time.advance(Duration.ofSeconds(20));
    assertThat(handle.run().warnings()).singleElement().asString().startsWith(FIRST).contains("ENOTEMPTY")
        .endsWith("; trying again");
    assertThat(works.log).singleElement().asString().startsWith("run r1, " + FIRST);
    assertThat(handle.heartbeatFailure()).hasValueSatisfying(failure -> {
      assertThat(failure.consecutiveFailures()).isEqualTo(1);
      assertThat(failure.error()).contains("ENOTEMPTY");
    });
    works.time.advance(Duration.ofSeconds(12));
    assertThat(handle.run().warnings()).hasSize(2).last().asString().startsWith(THIRD).contains("ENOTEMPTY");
    assertThat(failures(handle.run())).isEqualTo(5);

    works.unblockRenewals("prod");
    works.time.advance(Duration.ofSeconds(3));
    assertThat(handle.heartbeatFailure()).isEmpty();
    assertThat(works.log).hasSize(3).last().isEqualTo("run r1, the lock was renewed again");
    works.time.advance(Duration.ofSeconds(60));
    works.processes.awaitStart(1).exit(0);

    Run run = handle.await();
    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(failures(run)).isEqualTo(5);
    assertThat(run.warnings()).hasSize(2);
    assertThat(events()).containsExactly("LockAcquired", "LockActor", "RunStarted", "HeartbeatFailed", "LockActor",
        "LockReleased", "LockActor",
        "RunFinished");
    assertThat(works.isLocked("prod")).isFalse();
  }

  @Test
  @DisplayName("TF-A5 TF-8.2 it is stopped before others can take the lock, warns, rolls nothing back, and releases the lock by its token")
  void givesUp() {
    RunHandle handle = begin(deploy());
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.blockRenewals("prod");
    works.time.advance(Duration.ofMillis(47_999));
    assertThat(one.isStopped()).isFalse();
    works.time.advance(Duration.ofMillis(1));
    Run run = handle.await();

    assertThat(one.isStopped()).isTrue();
    assertThat(run.status()).isEqualTo(RunStatus.LOCK_LOST);
    assertThat(run.progress().rollbackSkipped()).isEqualTo("lock lost");
    assertThat(run.warnings()).hasSize(3).last().asString()
        .matches("the lock could not be renewed in time \\(1[0-9] failures in a row, the last: .*ENOTEMPTY.*\\);"
            + " the run is stopped before others can take it");
    assertThat(works.log).last().isEqualTo("run r1, " + run.warnings().getLast());
    assertThat(events()).containsExactly("LockAcquired", "LockActor", "RunStarted", "HeartbeatFailed", "LockActor",
        "LockLost", "LockReleased", "LockActor",
        "RunFinished");
    assertThat(works.audit.events()).filteredOn(AuditEvent.LockLost.class::isInstance).singleElement()
        .isInstanceOfSatisfying(AuditEvent.LockLost.class,
            lost -> assertThat(lost.error()).contains("ENOTEMPTY"));
    assertThat(works.audit.events()).filteredOn(AuditEvent.LockReleased.class::isInstance).singleElement()
        .isInstanceOfSatisfying(AuditEvent.LockReleased.class, released -> {
          assertThat(released.result()).isEqualTo("failure");
          assertThat(released.failureStep()).isEqualTo("one");
        });
    assertThat(works.isLocked("prod")).as("no operator is needed").isFalse();
  }

  @Test
  @DisplayName("TF-8.2 a lock that can be renewed once the step has ended is still held: the run is rolled back under it")
  void undoesUnderTheLock() {
    works.processes.holdStops();
    RunHandle handle = begin(deploy());
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.blockRenewals("prod");
    works.time.advance(Duration.ofSeconds(48));
    works.processes.awaitStop(one);
    works.unblockRenewals("prod");
    one.exit(143);
    ManualProcesses.Hand undoing = works.processes.awaitStart(2);
    works.time.advance(Duration.ofSeconds(100));
    assertThat(undoing.isStopped()).isFalse();
    undoing.exit(0);
    Run run = handle.await();

    assertThat(run.status()).isEqualTo(RunStatus.LOCK_LOST);
    assertThat(run.progress().rollback()).extracting(StepRecord::status).containsExactly(StepRecord.Status.SUCCEEDED);
    assertThat(run.progress().rollbackSkipped()).isNull();
    assertThat(run.warnings()).last().asString().startsWith("the lock was renewed after the run was stopped");
    assertThat(events()).containsExactly("LockAcquired", "LockActor", "RunStarted", "HeartbeatFailed", "LockActor",
        "LockLost", "LockReleased", "LockActor",
        "RunFinished");
    assertThat(works.isLocked("prod")).isFalse();
  }

  @Test
  @DisplayName("TF-A5 a lock taken by another run after it was given up is left alone, and nothing is rolled back")
  void takenAfterwards() {
    works.processes.holdStops();
    RunHandle handle = begin(deploy());
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.blockRenewals("prod");
    works.time.advance(Duration.ofSeconds(48));
    works.processes.awaitStop(one);
    works.unblockRenewals("prod");
    works.delete("prod");
    works.hold("prod", "thief");
    one.exit(143);
    Run run = handle.await();

    assertThat(run.status()).isEqualTo(RunStatus.LOCK_LOST);
    assertThat(run.progress().rollbackSkipped()).isEqualTo("lock lost");
    assertThat(events()).doesNotContain("LockReleased");
    assertThat(works.isLocked("prod")).isTrue();
  }

  @Test
  @DisplayName("A run that continues without its lock warns at the deadline, keeps trying, and renews the lock when it "
      + "can")
  void goesOn() {
    RunHandle handle = begin(deploy().goOnWhenLost());
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.blockRenewals("prod");
    works.time.advance(Duration.ofSeconds(50));
    while (handle.run().warnings().size() < 3) {
      Thread.onSpinWait();
    }
    assertThat(handle.run().warnings()).last().asString()
        .endsWith("; the run continues, as on_lock_lost says, and others can take the lock when its ttl expires");
    works.unblockRenewals("prod");
    works.time.advance(Duration.ofSeconds(50));
    one.exit(0);

    assertThat(handle.await().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(one.isStopped()).isFalse();
    assertThat(events()).containsExactly("LockAcquired", "LockActor", "RunStarted", "HeartbeatFailed", "LockActor",
        "LockReleased", "LockActor",
        "RunFinished");
  }

  @Test
  @DisplayName("Watchers see each failure, and the success after it")
  void watched() {
    RunHandle handle = begin(deploy());
    RunFeed feed = RunFeed.of(handle, works.processes);
    assertThat(feed.next()).hasSize(1);
    works.blockRenewals("prod");
    works.time.advance(Duration.ofSeconds(20));
    assertThat(feed.next()).singleElement().isInstanceOfSatisfying(RunFeed.HeartbeatFailed.class,
        failed -> assertThat(failed.failure().consecutiveFailures()).isEqualTo(1));
    works.time.advance(Duration.ofSeconds(3));
    assertThat(feed.next()).singleElement().isInstanceOfSatisfying(RunFeed.HeartbeatFailed.class,
        failed -> assertThat(failed.failure().consecutiveFailures()).isEqualTo(2));
    works.unblockRenewals("prod");
    works.time.advance(Duration.ofSeconds(3));
    assertThat(feed.next()).singleElement().isInstanceOf(RunFeed.Heartbeat.class);
    works.processes.awaitStart(1).exit(0);
    handle.await();
  }

  @Test
  @DisplayName("TF-8.3 if the release fails as well, it is audited, and a warning says how to free the lock")
  void releaseFails() {
    RunHandle handle = begin(deploy());
    works.breakDirectory();
    works.time.advance(Duration.ofSeconds(48));
    Run run = handle.await();

    assertThat(run.status()).isEqualTo(RunStatus.LOCK_LOST);
    assertThat(events()).containsExactly("LockAcquired", "LockActor", "RunStarted", "HeartbeatFailed", "LockActor",
        "LockLost",
        "LockReleaseFailed", "LockActor", "RunFinished");
    assertThat(run.warnings()).last().asString().contains("could not be released", "force the release of prod");
  }
}
