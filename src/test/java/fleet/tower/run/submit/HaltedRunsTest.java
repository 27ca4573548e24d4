package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.answer.RunWaitJson;
import fleet.tower.audit.AuditEvent;
import fleet.tower.harness.Await;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt;
import fleet.tower.platform.ErrorCode;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.QueuedRuns.TakeOutcome;

@DisplayName("Runs that a halt covers")
class HaltedRunsTest {
  private static final RequestId R1 = new RequestId("r1");
  private static final String BEADS = "beads:/srv/project/.beads";
  private static final LockTerms PATIENT = new LockTerms(false, Duration.ofMinutes(5));
  private static final Duration SOON = Duration.ofMillis(500);

  @AutoClose
  private final TestExecutor works;
  private final List<RequestId> backlog = new ArrayList<>();
  private final QueuedRuns queue;

  HaltedRunsTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
    works.with(IntentBuilder.mutate("deploy").lock("prod").exclusive(BEADS).undoable("one").undoable("two"),
        IntentBuilder.observe("look").step("one", "true"));
    queue = works.runs.queued(new QueuedRuns.Backlog() {
      @Override
      public void put(RequestId requestId, Run.@Nullable Declaration declaration) {
        backlog.add(requestId);
      }

      @Override
      public long size() {
        return backlog.size();
      }
    });
  }

  private static Halt.Scope intents(String... patterns) {
    return new Halt.Scope(List.of(), List.of(patterns), List.of(), false);
  }

  private void assertHalted(SubmitOutcome outcome) {
    assertThat(outcome).isEqualTo(new SubmitOutcome.Barred(new Decision.Halted("stop", "ann", "wrong release",
        works.time.now(), null)));
    assertThat(works.store.find(R1)).isEmpty();
    assertThat(backlog).isEmpty();
    assertThat(works.processes.events()).isEmpty();
    assertThat(works.isLocked("prod")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"deploy", "look"})
  @DisplayName("A request is refused before anything is recorded, with a lock or without, waiting or for the queue")
  void refused(String intent) {
    works.halt(Halt.Level.ADMIT, Halt.Scope.ALL);

    assertHalted(works.runs.submit(TestExecutor.request(intent, "r1")));
    assertHalted(works.runs.submit(TestExecutor.request(intent, "r1", PATIENT)));
    assertHalted(queue.enqueue(TestExecutor.request(intent, "r1")));
  }

  @Test
  @DisplayName("A halt of other actors, intents or locks refuses nothing")
  void others() {
    works.halt(Halt.Level.KILL, intents("restart-*"));
    works.processes.plan("one", new Processes.Exited(0));

    assertThat(works.run("look").status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("A halt covers what an actor does for itself and for others, also if it names itself as the other")
  void subjects() {
    Halt.Scope ann = new Halt.Scope(List.of("ann"), List.of(), List.of(), false);
    works.halt(Halt.Level.ADMIT, ann);
    Halt halt = works.halts.values().iterator().next();

    assertThat(halt.covers(Halt.Subject.of(new Actor("ann", "ann", null), "deploy", null))).isTrue();
    assertThat(halt.covers(Halt.Subject.of(new Actor("bot", "ann", null), "deploy", null))).isTrue();
    assertThat(halt.covers(Halt.Subject.of(new Actor("bot", null, null), "deploy", null))).isFalse();
  }

  @Test
  @DisplayName("While the halts cannot be read, nothing begins")
  void unreadable() {
    works.hidesHalts = true;
    SubmitOutcome unavailable = new SubmitOutcome.Unavailable(ErrorCode.STORAGE_UNAVAILABLE, "no halt can be read");

    assertThat(works.runs.submit(TestExecutor.request("look", "r1"))).isEqualTo(unavailable);
    assertThat(queue.enqueue(TestExecutor.request("look", "r1"))).isEqualTo(unavailable);
    assertThat(works.store.find(R1)).isEmpty();
  }

  @Test
  @DisplayName("A repeated request is answered with its run; one whose run never started is refused")
  void repeated() {
    works.processes.plan("one", new Processes.Exited(0));
    works.run("look");
    works.halt(Halt.Level.ADMIT, Halt.Scope.ALL);
    assertThat(works.runs.submit(TestExecutor.request("look", "r1")))
        .isInstanceOfSatisfying(SubmitOutcome.Accepted.class, accepted -> assertThat(accepted.replayed()).isTrue());

    works.halts.clear();
    works.foreigners.beforeHold.put(BEADS, () -> works.halt(Halt.Level.ADMIT, Halt.Scope.ALL));
    works.accepted(TestExecutor.request("deploy", "r2")).await();
    assertThat(works.runs.submit(TestExecutor.request("deploy", "r2"))).isInstanceOf(SubmitOutcome.Barred.class);
  }

  @Test
  @DisplayName("A run that is halted between its request and its first step is recorded as refused, and releases its "
      + "locks")
  void underItsLock() {
    works.foreigners.beforeHold.put(BEADS, () -> works.halt(Halt.Level.ADMIT, intents("dep*")));

    Run run = works.accepted(TestExecutor.request("deploy", "r1")).await();

    assertThat(run.status()).isEqualTo(RunStatus.REFUSED);
    assertThat(run.refusal()).isInstanceOf(RunRefusal.Barred.class);
    assertThat(works.store.find(R1)).contains(run);
    assertThat(works.processes.events()).isEmpty();
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(works.audit.events()).noneMatch(AuditEvent.RunStarted.class::isInstance);
  }

  @Test
  @DisplayName("If the halts cannot be read under the lock, no step runs, and the locks are released")
  void unreadableUnderItsLock() {
    works.foreigners.beforeHold.put(BEADS, () -> works.hidesHalts = true);

    assertThat(works.runs.submit(TestExecutor.request("deploy", "r1")))
        .isEqualTo(new SubmitOutcome.Unavailable(ErrorCode.STORAGE_UNAVAILABLE, "no halt can be read"));

    assertThat(works.processes.events()).isEmpty();
    assertThat(works.isLocked("prod")).isFalse();
  }

  private Run deployed(Halt.Level level) {
    works.processes.plan("one.rollback", new Processes.Exited(0));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.halt(level, intents("deploy"));
    works.time.advance(SOON);
    if (level == Halt.Level.KILL) {
      works.processes.awaitStop(one);
    } else {
      assertThat(one.isStopped()).isFalse();
      one.exit(0);
    }
    return handle.await();
  }

  @ParameterizedTest
  @EnumSource(names = {"DRAIN", "KILL"})
  @DisplayName("drain lets the step end, kill stops it within half a second; then the run is cancelled, rolled back and "
      + "says why")
  void cancelled(Halt.Level level) {
    Run run = deployed(level);

    assertThat(run.status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(run.warnings()).containsExactly("halt stop of ann: wrong release; "
        + (level == Halt.Level.KILL ? "the run is stopped" : "no further step of the run begins"));
    assertThat(works.processes.events()).contains("end one.rollback").noneMatch(event -> event.contains("two"));
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(works.audit.events()).filteredOn(AuditEvent.RunCancelRequested.class::isInstance).singleElement()
        .isInstanceOfSatisfying(AuditEvent.RunCancelRequested.class, event -> {
          assertThat(event.origin().actor()).isEqualTo(new Actor("ann", null, null));
          assertThat(event.origin().reason()).isEqualTo("halt stop of ann: wrong release");
        });
  }

  @Test
  @DisplayName("admit lets a run that has begun continue; so does a source of halts that cannot be read")
  void goesOn() {
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.halt(Halt.Level.ADMIT, Halt.Scope.ALL);
    works.time.advance(SOON);
    works.halt(Halt.Level.KILL, Halt.Scope.ALL);
    works.hidesHalts = true;
    works.time.advance(SOON);
    one.exit(0);
    works.processes.awaitStart(2).exit(0);

    assertThat(handle.await().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(handle.run().warnings()).isEmpty();
  }

  @Test
  @DisplayName("A halt that becomes stricter stops a step that drain let end")
  void stricter() {
    works.processes.plan("one.rollback", new Processes.Exited(0));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.halt(Halt.Level.DRAIN, Halt.Scope.ALL);
    works.time.advance(SOON);
    assertThat(one.isStopped()).isFalse();
    works.halt(Halt.Level.KILL, Halt.Scope.ALL);
    works.time.advance(SOON);

    assertThat(handle.await().status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(one.isStopped()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"DRAIN", "KILL"})
  @DisplayName("A run that waits for its lock is refused")
  void waiting(Halt.Level level) {
    works.hold("prod", "bob-1");
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1", PATIENT));
    works.awaitWaiter("prod");
    works.halt(level, Halt.Scope.ALL);
    works.time.advance(SOON);

    Run run = handle.await();
    assertThat(run.status()).isEqualTo(RunStatus.REFUSED);
    assertThat(run.refusal()).isInstanceOf(RunRefusal.Barred.class);
  }

  @Test
  @DisplayName("A run in the queue stays there, says so, and is taken when the halt is lifted")
  void queued() {
    works.processes.plan("one", new Processes.Exited(0));
    works.processes.plan("two", new Processes.Exited(0));
    queue.enqueue(TestExecutor.request("deploy", "r1"));
    works.halt(Halt.Level.DRAIN, intents("deploy"));

    assertThat(queue.take(R1)).isEqualTo(new TakeOutcome.Barred());
    assertThat(queue.digestsHere()).containsExactly(works.digestOf("look"));
    RunHandle handle = works.runs.find(R1).orElseThrow();
    assertThat(RunWaitJson.of(works.runs.waitOf(handle.run(), handle).orElseThrow()).end())
        .contains("\"state\":\"queued\"", "it is halted by ann until it is lifted (stop)");

    works.halts.clear();
    assertThat(queue.digestsHere()).hasSize(2);
    assertThat(queue.take(R1)).isInstanceOfSatisfying(TakeOutcome.Taken.class,
        taken -> assertThat(taken.end().getAsBoolean()).isTrue());
    assertThat(works.store.find(R1).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A run from the queue that is halted before its first step returns there, under its lock or in line")
  void returned(boolean isInLine) {
    queue.enqueue(TestExecutor.request("deploy", "r1", PATIENT));
    if (isInLine) {
      works.hold("prod", "bob-1");
    } else {
      works.foreigners.beforeHold.put(BEADS, () -> works.halt(Halt.Level.ADMIT, Halt.Scope.ALL));
    }
    TakeOutcome outcome = queue.take(R1);
    if (isInLine) {
      works.awaitWaiter("prod");
      works.halt(Halt.Level.KILL, Halt.Scope.ALL);
      works.time.advance(SOON);
    }

    assertThat(outcome).isInstanceOfSatisfying(TakeOutcome.Taken.class,
        taken -> assertThat(taken.end().getAsBoolean()).isFalse());
    assertThat(works.store.find(R1).orElseThrow().status()).isEqualTo(RunStatus.WAITING);
    assertThat(queue.take(R1)).isEqualTo(new TakeOutcome.Barred());
    assertThat(isInLine || !works.isLocked("prod")).isTrue();
  }

  @Test
  @DisplayName("A halted run that the caller cancels is cancelled, also in the queue")
  void cancelledMeanwhile() {
    queue.enqueue(TestExecutor.request("deploy", "r1"));
    works.halt(Halt.Level.KILL, Halt.Scope.ALL);

    works.runs.cancel(R1);

    Await.until("it is cancelled", () -> works.store.find(R1).orElseThrow().status() == RunStatus.CANCELLED);
  }
}
