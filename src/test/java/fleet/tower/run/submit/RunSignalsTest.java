package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.answer.RunWaitJson;
import fleet.tower.audit.AuditEvent;
import fleet.tower.harness.Await;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunRequests;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.QueuedRuns.TakeOutcome;

@DisplayName("Runs of one executor, cancelled, reported on and followed from another")
class RunSignalsTest {
  private static final RequestId R1 = new RequestId("r1");
  private static final RequestId R2 = new RequestId("r2");
  private static final Actor BOB = new Actor("bob", Door.HTTP);
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final LockTerms PATIENT = new LockTerms(false, Duration.ofMinutes(10));

  /** The test passes the runs on itself. */
  private static final QueuedRuns.Backlog NO_QUEUE = new QueuedRuns.Backlog() {
    @Override
    public void put(RequestId requestId, Run.@Nullable Declaration declaration) {}

    @Override
    public long size() {
      return 0;
    }
  };

  @AutoClose
  private final TestExecutor works;
  private final Runs other;

  RunSignalsTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
    other = works.executor("executor-2");
  }

  private RunHandle begin() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one"));
    works.processes.plan("one.rollback", new Processes.Exited(0));
    return works.accepted(TestExecutor.request("deploy", "r1"));
  }

  private List<AuditEvent.RunCancelRequested> requested() {
    return works.audit.events().stream().filter(AuditEvent.RunCancelRequested.class::isInstance)
        .map(AuditEvent.RunCancelRequested.class::cast).toList();
  }

  @Test
  @DisplayName("The executor gets a request to cancel within a second; it is audited once, with the actor, even if it "
      + "is sent twice")
  void cancelled() {
    RunHandle handle = begin();
    ManualProcesses.Hand one = works.processes.awaitStart(1);

    assertThat(other.cancel(R1, BOB)).isEqualTo(new Runs.CancelOutcome.Requested());
    assertThat(requested()).singleElement().satisfies(event -> {
      assertThat(event.requestId()).isEqualTo(R1);
      assertThat(event.origin().actor()).isEqualTo(BOB);
    });
    assertThat(other.cancel(R1)).isEqualTo(new Runs.CancelOutcome.Requested());
    assertThat(one.isStopped()).isFalse();
    works.time.advance(SOON);

    Run run = handle.await();
    assertThat(run.status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(one.isStopped()).isTrue();
    assertThat(works.processes.events()).contains("end one.rollback");
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(requested()).hasSize(1);
    assertThat(works.store.requests().of("executor-1")).isEmpty();
    Await.until("the record shows it", () -> other.cancel(R1, BOB).equals(new Runs.CancelOutcome.Finished(run)));
    assertThat(other.cancel(new RequestId("r9"), BOB)).isEqualTo(new Runs.CancelOutcome.NotFound());
    assertThat(requested()).hasSize(1);
  }

  @Test
  @DisplayName("An executor without runs does not poll for requests and halts")
  void idle() {
    begin();
    works.processes.awaitStart(1).exit(0);

    Await.until("only the timers for the next looks are left", () -> works.time.pendingDelays().size() == 2);
    Await.until("they have set no other", () -> {
      works.time.advance(SOON);
      return works.time.pendingDelays().isEmpty();
    });
  }

  @Test
  @DisplayName("The run of a dead executor is interrupted, and the answer shows its host")
  void dead() {
    begin();
    works.processes.awaitStart(1);
    works.deadExecutors.add("executor-1");

    assertThat(other.cancel(R1, BOB)).isInstanceOfSatisfying(Runs.CancelOutcome.Finished.class, finished -> {
      assertThat(finished.run().status()).isEqualTo(RunStatus.INTERRUPTED);
      assertThat(finished.run().hostId()).isEqualTo("tower-01");
    });
    assertThat(requested()).isEmpty();
  }

  @Test
  @DisplayName("A queued run whose executor died while it waited is also ended, and no other executor starts it")
  void deadWhileWaiting() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    works.hold("prod", "gate");
    QueuedRuns first = works.runs.queued(NO_QUEUE);
    QueuedRuns second = other.queued(NO_QUEUE);
    first.enqueue(TestExecutor.request("deploy", "r1", PATIENT));
    assertThat(first.take(R1)).isInstanceOf(TakeOutcome.Taken.class);
    works.awaitWaiter("prod");
    works.deadExecutors.add("executor-1");

    assertThat(other.cancel(R1, BOB)).isInstanceOf(Runs.CancelOutcome.Finished.class);
    assertThat(second.take(R1)).isEqualTo(new TakeOutcome.Done());
    works.runs.close(Duration.ZERO);
  }

  @Test
  @DisplayName("A cancelled run that waits does not return to the queue if its executor closes first")
  void closing() {
    TakeOutcome.Taken taken = queued();
    assertThat(other.cancel(R1, BOB)).isEqualTo(new Runs.CancelOutcome.Requested());

    works.runs.close(Duration.ofSeconds(20));

    assertThat(taken.end().getAsBoolean()).as("it has ended").isTrue();
    assertThat(works.store.find(R1).orElseThrow().status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  @DisplayName("A request to cancel that its executor never received is carried out by the next executor")
  void resumed() {
    queued();
    assertThat(other.cancel(R1, BOB)).isEqualTo(new Runs.CancelOutcome.Requested());
    works.deadExecutors.add("executor-1");

    TakeOutcome.Taken taken = (TakeOutcome.Taken) other.queued(NO_QUEUE).take(R1);

    assertThat(taken.end().getAsBoolean()).isTrue();
    assertThat(taken.handle().run().status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(works.processes.events()).isEmpty();
    works.runs.close(Duration.ZERO);
  }

  private TakeOutcome.Taken queued() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    works.hold("prod", "gate");
    QueuedRuns first = works.runs.queued(NO_QUEUE);
    first.enqueue(TestExecutor.request("deploy", "r1", PATIENT));
    TakeOutcome.Taken taken = (TakeOutcome.Taken) first.take(R1);
    works.awaitWaiter("prod");
    return taken;
  }

  @Test
  @DisplayName("A heartbeat from another executor is progress; a run that needs none gets none")
  void beaten() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").provingProgress().step("one", "true"),
        IntentBuilder.mutate("plain").step("one", "true"));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.accepted(TestExecutor.request("plain", "r2"));
    ManualProcesses.Hand plain = works.processes.awaitStart(2);
    long before = handle.heartbeat().orElseThrow().beats();

    assertThat(other.beat(R1, BOB)).isEqualTo(new Runs.BeatOutcome.Recorded());
    works.time.advance(SOON);

    assertThat(handle.heartbeat().orElseThrow().beats()).isEqualTo(before + 1);
    assertThat(works.store.requests().of("executor-1")).as("it counts once").isEmpty();
    assertThat(other.beat(R2, BOB)).isEqualTo(new Runs.BeatOutcome.NotNeeded());
    assertThat(works.store.requests().of("executor-1")).isEmpty();
    plain.exit(0);
    one.exit(0);
    handle.await();
    assertThat(other.beat(R1, BOB)).isEqualTo(new Runs.BeatOutcome.Finished());
    assertThat(other.beat(new RequestId("r9"), BOB)).isEqualTo(new Runs.BeatOutcome.NotFound());
  }

  @Test
  @DisplayName("A run that waits for another tool's lock shows which one, and its state, also at another executor")
  void waitingForTool() {
    String beads = "beads:/srv/project/.beads";
    works.with(IntentBuilder.mutate("deploy").lock("prod").respect(beads).step("one", "true"));
    works.foreigners.verdicts.put(beads, ManualForeignLocks.heldByTool("vc-executor"));
    RunHandle here = works.accepted(TestExecutor.request("deploy", "r1", PATIENT));
    Await.until("it waits", () -> here.run().foreignWait() != null);
    RunHandle there = other.find(R1).orElseThrow();

    assertThat(there.run()).isEqualTo(here.run());
    assertThat(there.waiting().orElseThrow()).isInstanceOfSatisfying(RunHandle.WaitingForTool.class,
        tool -> assertThat(tool.refusal().name()).hasToString(beads));
    assertThat(RunWaitJson.of(other.waitOf(there.run(), there).orElseThrow()).end())
        .isEqualTo(RunWaitJson.of(works.runs.waitOf(here.run(), here).orElseThrow()).end())
        .isEqualTo("{\"lock_name\":\"prod\",\"state\":\"foreign_lock\",\"foreign_lock\":\"" + beads
            + "\",\"foreign_state\":\"held by vc-executor (pid 12 on dev-1)\"}");
    int saves = works.store.calls().size();
    for (int look = 0; look < 50; look++) {
      works.time.advance(Duration.ofMillis(250));
    }
    assertThat(works.store.calls()).as("only a change is recorded").hasSize(saves);

    works.foreigners.verdicts.clear();
    Await.until("the step runs", () -> {
      works.time.advance(Duration.ofMillis(250));
      return here.run().status() == RunStatus.RUNNING;
    });
    assertThat(there.run().foreignWait()).isNull();
    assertThat(other.waitOf(there.run(), there)).isEmpty();
    works.processes.awaitStart(1).exit(0);
    here.await();
  }

  @Test
  @DisplayName("A waiting run shows the same lock, position and requests ahead at another executor")
  void waiting() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    works.hold("prod", "gate");
    RunHandle first = works.accepted(TestExecutor.request("deploy", "r1", PATIENT));
    works.awaitWaiter("prod");
    RunHandle second = works.accepted(TestExecutor.request("deploy", "r2", PATIENT));
    Await.until("both wait", () -> first.waiting().isPresent() && second.position().orElse(-1) == 1);

    for (RunHandle here : List.of(first, second)) {
      RunHandle there = other.find(here.run().requestId()).orElseThrow();
      assertThat(there.run()).isEqualTo(here.run());
      assertThat(there.position()).isEqualTo(here.position());
      assertThat(there.waiting().orElseThrow()).isInstanceOfSatisfying(RunHandle.WaitingInLine.class,
          line -> assertThat(line.lock()).hasToString("prod"));
      assertThat(there.waiting()).as("it is not a change").isEqualTo(there.waiting());
      assertThat(RunWaitJson.of(other.waitOf(there.run(), there).orElseThrow()).end())
          .isEqualTo(RunWaitJson.of(works.runs.waitOf(here.run(), here).orElseThrow()).end())
          .contains("\"lock_name\":\"prod\"", "\"ahead\":[", "\"request_id\":\"gate\"");
    }
    works.runs.cancel(R1);
    works.runs.cancel(R2);
  }

  @Test
  @DisplayName("A run that is followed elsewhere shows the heartbeats of its lock, and its end soon after it happens")
  void followed() {
    RunHandle handle = begin();
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    RunHandle there = other.find(R1).orElseThrow();
    long seen = there.version();
    assertThat(there.run().status()).isEqualTo(RunStatus.RUNNING);
    assertThat(there.lastHeartbeat()).as("before the first").isEmpty();
    works.time.advance(Duration.ofSeconds(40));
    assertThat(handle.lastHeartbeat()).isPresent();
    assertThat(there.lastHeartbeat()).isEqualTo(handle.lastHeartbeat());
    there.awaitChange(seen);

    Thread watcher = Thread.ofVirtual().start(there::await);
    one.exit(0);
    handle.await();
    Await.until("the watcher was woken", () -> {
      works.time.advance(DistantRuns.BETWEEN_LOOKS);
      return !watcher.isAlive();
    });
    assertThat(there.run().status()).isEqualTo(RunStatus.SUCCEEDED);
    Await.until("it is not watched any more", () -> {
      works.time.advance(DistantRuns.BETWEEN_LOOKS);
      return works.time.pendingDelays().isEmpty();
    });
  }

  @Test
  @DisplayName("A watcher is woken without a change, so that its own limits hold")
  void woken() throws InterruptedException {
    begin();
    works.processes.awaitStart(1);
    RunHandle there = other.find(R1).orElseThrow();
    long seen = there.version();
    Thread watcher = Thread.ofVirtual().start(() -> there.awaitChange(seen));

    there.wake();

    watcher.join();
    assertThat(there.version()).isNotEqualTo(seen);
  }

  @Test
  @DisplayName("A request for a run that ends at the same moment, or changes its executor, is decided by the record")
  void overtaken() {
    queued();
    assertThat(works.store.requests().put(R1, RunStore.QUEUE, RunRequests.Kind.CANCEL, BOB)).isFalse();
    works.runs.cancel(R1);
    Await.until("it has ended", () -> works.store.find(R1).orElseThrow().status().isFinished());

    assertThat(other.cancel(R1, BOB)).isInstanceOf(Runs.CancelOutcome.Finished.class);
    assertThat(requested()).isEmpty();
  }
}
