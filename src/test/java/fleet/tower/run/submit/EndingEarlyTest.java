package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;

class EndingEarlyTest {
  private static final Processes.Exit OK = new Processes.Exited(0);
  @AutoClose
  private final TestExecutor works;

  EndingEarlyTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
  }

  @Test
  @DisplayName("A step that reaches its timeout is stopped and rolled back, and the run is timed out")
  void stepTimeout() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one").undoable("two"));
    works.processes.plan("one.rollback", OK);
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);

    works.time.advance(Duration.ofMinutes(9));
    assertThat(one.isStopped()).isFalse();
    works.time.advance(Duration.ofMinutes(1));
    Run run = handle.await();

    assertThat(one.isStopped()).isTrue();
    assertThat(run.status()).isEqualTo(RunStatus.TIMED_OUT);
    assertThat(run.progress().failureStep()).isEqualTo("one");
    assertThat(run.progress().steps()).extracting(StepRecord::status).containsExactly(StepRecord.Status.TIMED_OUT,
        StepRecord.Status.SKIPPED);
    assertThat(run.progress().rollback()).extracting(StepRecord::status).containsExactly(StepRecord.Status.SUCCEEDED);
    assertThat(works.isLocked("prod")).isFalse();
  }

  @Test
  @DisplayName("A run that reaches its timeout is stopped between or within its steps; its rollback has its own time")
  void runTimeout() {
    IntentBuilder intent = IntentBuilder.mutate("deploy").lock("prod");
    for (int i = 1; i <= 8; i++) {
      intent.undoable("s" + i);
    }
    works.with(intent);
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    for (int i = 1; i <= 6; i++) {
      ManualProcesses.Hand step = works.processes.awaitStart(i);
      works.time.advance(Duration.ofSeconds(599));
      step.exit(0);
    }
    ManualProcesses.Hand seventh = works.processes.awaitStart(7);
    works.time.advance(Duration.ofSeconds(10));
    for (int i = 8; i <= 14; i++) {
      works.processes.awaitStart(i).exit(0);
    }

    assertThat(handle.await().status()).isEqualTo(RunStatus.TIMED_OUT);
    assertThat(seventh.isStopped()).isTrue();
    assertThat(handle.run().progress().rollback()).hasSize(7)
        .allSatisfy(piece -> assertThat(piece.status()).isEqualTo(StepRecord.Status.SUCCEEDED));
  }

  @Test
  @DisplayName("Cancelling stops the step, rolls back, releases, and reports aborted; cancelling again changes nothing")
  void cancel() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one").undoable("two"));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    works.processes.awaitStart(1).exit(0);
    works.processes.awaitStart(2);

    assertThat(works.runs.cancel(new RequestId("r1"))).isEqualTo(new Runs.CancelOutcome.Requested());
    ManualProcesses.Hand rollback = works.processes.awaitStart(3);
    assertThat(works.runs.cancel(new RequestId("r1"))).isEqualTo(new Runs.CancelOutcome.Requested());
    rollback.exit(0);
    works.processes.awaitStart(4).exit(0);
    Run run = handle.await();

    assertThat(run.status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(run.status().result()).hasToString("aborted");
    assertThat(rollback.isStopped()).isFalse();
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(works.runs.cancel(new RequestId("r1"))).isEqualTo(new Runs.CancelOutcome.Finished(run));
    assertThat(works.runs.cancel(new RequestId("r9"))).isEqualTo(new Runs.CancelOutcome.NotFound());
  }

  @Test
  @DisplayName("A run whose lock was taken stops its step, rolls nothing back, and leaves the new lock alone")
  void lockLost() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one").rollback("notify"));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.delete("prod");
    works.hold("prod", "thief");

    works.time.advance(Duration.ofSeconds(31));
    Run run = handle.await();

    assertThat(one.isStopped()).isTrue();
    assertThat(run.status()).isEqualTo(RunStatus.LOCK_LOST);
    assertThat(run.progress().steps()).extracting(StepRecord::status).containsExactly(StepRecord.Status.LOCK_LOST);
    assertThat(run.progress().rollback()).isEmpty();
    assertThat(run.progress().rollbackSkipped()).isEqualTo("lock lost");
    assertThat(works.locks.view(new LeaseName("prod")).state()).hasToString("active");
    assertThat(works.audit.events()).filteredOn(AuditEvent.LockLost.class::isInstance).hasSize(1);
    assertThat(works.audit.events()).noneMatch(AuditEvent.LockReleased.class::isInstance);
  }

  @Test
  @DisplayName("A run that may continue without its lock does so, with a warning, and is not rolled back if it then "
      + "fails")
  void goesOn() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").goOnWhenLost().undoable("one").undoable("two"));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.delete("prod");
    works.hold("prod", "thief");
    works.time.advance(Duration.ofSeconds(31));
    one.exit(0);
    works.processes.awaitStart(2).exit(1);
    Run run = handle.await();

    assertThat(one.isStopped()).isFalse();
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.progress().rollback()).isEmpty();
    assertThat(run.progress().rollbackSkipped()).isEqualTo("lock lost");
    assertThat(run.warnings())
        .contains("the lock was lost during the run; the run continued, as on_lock_lost says");
    assertThat(works.locks.view(new LeaseName("prod")).state()).hasToString("active");
  }

  @Test
  @DisplayName("The loss of the lock during the rollback ends the rollback")
  void lostWhileUndoing() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one").undoable("two"));
    works.processes.plan("one", OK).plan("two", new Processes.Exited(1));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand undoing = works.processes.awaitStart(3);
    works.delete("prod");

    works.time.advance(Duration.ofSeconds(31));
    Run run = handle.await();

    assertThat(undoing.isStopped()).isTrue();
    assertThat(run.progress().rollback()).extracting(StepRecord::status).containsExactly(StepRecord.Status.LOCK_LOST,
        StepRecord.Status.SKIPPED);
    assertThat(run.progress().rollbackSkipped()).isEqualTo("lock lost");
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  @DisplayName("The lock is renewed as long as the run is executed, rollback included")
  void keptAlive() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one"));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.time.advance(Duration.ofSeconds(590));
    assertThat(works.locks.view(new LeaseName("prod")).state()).hasToString("active");
    assertThat(handle.lastHeartbeat()).contains(works.time.now().minusSeconds(20));
    one.exit(1);
    ManualProcesses.Hand undoing = works.processes.awaitStart(2);
    works.time.advance(Duration.ofSeconds(590));
    assertThat(works.locks.view(new LeaseName("prod")).state()).hasToString("active");
    undoing.exit(0);

    assertThat(handle.await().status()).isEqualTo(RunStatus.FAILED);
    assertThat(works.isLocked("prod")).isFalse();
  }
}
