package fleet.tower.run.submit;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.harness.Await;
import fleet.tower.intent.OutputRule;
import fleet.tower.intent.StepLimits;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Locks;
import fleet.tower.platform.ErrorCode;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;

class RunsTest {
  @AutoClose
  private final TestExecutor works;

  RunsTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
  }

  private int printed;
  private int undone;

  private static final Processes.Exit OK = new Processes.Exited(0);

  @Test
  @DisplayName("TF-9.4 TF-3.3 a mutate intent runs its steps in order under its lock, with the ttl of the intent")
  void locked() {
    works.with(IntentBuilder.mutate("deploy").lock("${params.app}-production").step("one", "echo", "${params.app}")
        .script("two", "true"));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);

    assertThat(works.isLocked("money-production")).isTrue();
    assertThat(handle.run().lock()).satisfies(lock -> {
      assertThat(lock.name()).isEqualTo(new LeaseName("money-production"));
      assertThat(lock.ttl().seconds()).isEqualTo(900);
      assertThat(lock.stolen()).isFalse();
    });
    assertThat(one.command().argv()).containsExactly("echo", "money");
    one.exit(0);
    ManualProcesses.Hand two = works.processes.awaitStart(2);
    assertThat(two.command().argv()).containsExactly("bash", "-euo", "pipefail", "-c", "true", "two");
    two.exit(0);
    Run run = handle.await();

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.progress().steps()).extracting(StepRecord::status).containsOnly(StepRecord.Status.SUCCEEDED);
    assertThat(run.progress().rollback()).isEmpty();
    assertThat(run.warnings()).isEmpty();
    assertThat(works.isLocked("money-production")).isFalse();
    assertThat(works.store.find(new RequestId("r1"))).contains(run);
    assertThat(works.audit.events()).hasExactlyElementsOfTypes(AuditEvent.LockAcquired.class,
        AuditEvent.LockActor.class, AuditEvent.RunStarted.class, AuditEvent.LockReleased.class,
        AuditEvent.LockActor.class, AuditEvent.RunFinished.class);
  }

  @Test
  @DisplayName("A run is recorded durably before its lock is taken, and its end after the release of the lock")
  void order() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    works.processes.plan("one", OK);

    works.run("deploy");

    assertThat(works.store.calls()).containsExactly("begin r1", "save running", "save succeeded durably");
  }

  @Test
  @DisplayName("A caller that waits for the end of a run is woken by its end, or on purpose, but not by its steps")
  void awaitsEnd() throws Exception {
    works.with(IntentBuilder.mutate("deploy").step("one", "true").step("two", "true"));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    long seen = handle.version();
    works.processes.awaitStart(1).exit(0);
    ManualProcesses.Hand two = works.processes.awaitStart(2);
    CountDownLatch waits = new CountDownLatch(1);
    CompletableFuture<RunStatus> woken = CompletableFuture.supplyAsync(() -> {
      waits.countDown();
      handle.awaitEnd(seen);
      return handle.run().status();
    });
    waits.await();
    assertThat(handle.version()).isGreaterThan(seen);
    two.exit(0);

    assertThat(woken.join()).isEqualTo(RunStatus.SUCCEEDED);
    long ended = handle.version();
    CompletableFuture<Void> purpose = CompletableFuture.runAsync(() -> handle.awaitEnd(ended));
    handle.wake();
    purpose.join();
  }

  @Test
  @DisplayName("A run for which no thread is available fails, and its lock is released")
  void noThread() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    works.processes.refuseThreads();

    Run run = works.run("deploy");

    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.warnings()).singleElement().asString().contains("no thread is left");
    assertThat(works.processes.events()).isEmpty();
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(works.runs.active()).isZero();
    assertThat(works.store.find(new RequestId("r1"))).contains(run);
  }

  @Test
  @DisplayName("A step is stopped even if no thread is available for that")
  void stopsWithoutThread() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    works.processes.awaitStart(1);
    works.processes.refuseThreads();
    works.runs.cancel(new RequestId("r1"));

    assertThat(handle.await().status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(works.processes.events()).containsExactly("start one", "stop one", "end one");
  }

  @Test
  @DisplayName("An earlier run is looked up only if the request has an id or a key")
  void looksForEarlierRuns() {
    works.with(IntentBuilder.observe("status").step("one", "true"));
    works.processes.plan("one", OK);

    works.accepted(request(null, null)).await();
    assertThat(works.store.looks()).isZero();

    works.accepted(request(new RequestId("r1"), null)).await();
    works.accepted(request(null, "key")).await();
    assertThat(works.store.looks()).isEqualTo(2);
  }

  private static RunRequest request(@Nullable RequestId id, @Nullable String key) {
    return new RunRequest("status", Map.of(), id, key, new Run.Origin(new Actor("alice", Door.RUN), "{}", null),
        LockTerms.PLAIN, null, null);
  }

  @Test
  @DisplayName("Every step gets its run, its lock, the fencing token and its parameters in its environment")
  void environment() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").env("TARGET", "${params.app}/${lock.token}/$${x}")
        .step("one", "true"));
    works.processes.plan("one", OK);

    works.run("deploy");

    Map<String, String> environment = works.processes.awaitStart(1).command().environment();
    assertThat(environment).containsOnly(Map.entry("TOWER_REQUEST_ID", "r1"), Map.entry("TOWER_INTENT", "deploy"),
        Map.entry("TOWER_ACTOR", "alice"), Map.entry("TOWER_LOCK_NAME", "prod"), Map.entry("TOWER_LOCK_TOKEN", "1"),
        Map.entry("TOWER_HOME", "/home"), Map.entry("TOWER_BEAT_FILE", "/dev/null"), Map.entry("PARAM_APP", "money"),
        Map.entry("TARGET", "money/1/${x}"));
  }

  @Test
  @DisplayName("TF-8.2 a failed step is rolled back with those before it, the last first, then the run; then the lock is released")
  void rollback() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one").undoable("two").undoable("three")
        .rollback("notify"));
    works.processes.plan("one", OK).plan("two", new Processes.Exited(3)).plan("two.rollback", new Processes.Exited(1))
        .plan("one.rollback", OK).plan("notify.run-rollback", OK);

    Run run = works.run("deploy");

    assertThat(works.processes.events().stream().filter(event -> event.startsWith("start"))).containsExactly(
        "start one", "start two", "start two.rollback", "start one.rollback", "start notify.run-rollback");
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.progress().failureStep()).isEqualTo("two");
    assertThat(run.progress().steps()).extracting(StepRecord::status).containsExactly(StepRecord.Status.SUCCEEDED,
        StepRecord.Status.FAILED, StepRecord.Status.SKIPPED);
    assertThat(run.progress().steps().get(1).exitCode()).isEqualTo(3);
    assertThat(run.progress().rollback()).extracting(StepRecord::status).containsExactly(StepRecord.Status.FAILED,
        StepRecord.Status.SUCCEEDED, StepRecord.Status.SUCCEEDED);
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(released()).satisfies(released -> {
      assertThat(released.result()).isEqualTo("failure");
      assertThat(released.failureStep()).isEqualTo("two");
    });
    assertThat(finished().rollback()).isEqualTo("failure");
  }

  @Test
  @DisplayName("TF-8.2 a rollback that hangs is ended at its timeout, and the lock is released")
  void rollbackHangs() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one"));
    works.processes.plan("one", new Processes.Exited(1));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand rollback = works.processes.awaitStart(2);

    works.time.advance(Duration.ofMinutes(11));
    Run run = handle.await();

    assertThat(rollback.isStopped()).isTrue();
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.progress().rollback()).extracting(StepRecord::status).containsExactly(StepRecord.Status.TIMED_OUT);
    assertThat(works.isLocked("prod")).isFalse();
  }

  @Test
  @DisplayName("The end of a run that could not be recorded is recorded when the store is available again")
  void storeRecovers() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.store.fail("disk full");
    one.exit(0);
    handle.await();
    works.store.recover();

    Await.until("the end is recorded", () -> {
      works.time.advance(Duration.ofSeconds(1));
      return works.store.find(new RequestId("r1")).orElseThrow().status() == RunStatus.SUCCEEDED;
    });
  }

  @Test
  @DisplayName("A run whose wait ends while the store is unavailable ends in the record when the store is available "
      + "again")
  void waitedWithoutStore() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    works.hold("prod", "bob-1");
    RunHandle handle = works.accepted(
        TestExecutor.request("deploy", "r1", new LockTerms(false, Duration.ofSeconds(30))));
    works.awaitWaiter("prod");
    works.store.fail("disk full");
    works.time.advance(Duration.ofSeconds(31));
    assertThat(handle.await().refusal()).isInstanceOf(RunRefusal.TimedOut.class);
    works.store.recover();

    Await.until("the end is recorded", () -> {
      works.time.advance(Duration.ofSeconds(1));
      return works.store.find(new RequestId("r1")).orElseThrow().refusal() instanceof RunRefusal.TimedOut;
    });
  }

  @Test
  @DisplayName("A run that cannot record the end of its wait starts no step, and releases its lock")
  void waitNotRecorded() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    works.hold("prod", "bob-1");
    RunHandle handle = works.accepted(
        TestExecutor.request("deploy", "r1", new LockTerms(false, Duration.ofSeconds(30))));
    works.awaitWaiter("prod");
    works.store.fail("disk full");
    works.locks.release(ACTOR, new LeaseName("prod"), Owner.ofAnyActor(new RequestId("bob-1")), FencingToken.NONE,
        Locks.Result.SUCCESS, null);

    assertThat(handle.await().status()).isEqualTo(RunStatus.FAILED);
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(works.processes.events()).isEmpty();
  }

  private void isInterruptedAndRepeatable() {
    Await.until("the record has an end", () -> {
      works.time.advance(Duration.ofSeconds(1));
      return works.store.find(new RequestId("r1")).orElseThrow().status() == RunStatus.INTERRUPTED;
    });
    works.processes.plan("one", new Processes.Exited(0));
    assertThat(works.run("deploy").status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("A run that was recorded without an answer from the store is interrupted, and can be requested again")
  void begunWithoutAnswer() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    works.store.loseAnswer();
    assertThat(works.runs.submit(TestExecutor.request("deploy", "r1"))).isInstanceOf(SubmitOutcome.Unavailable.class);

    isInterruptedAndRepeatable();
  }

  @Test
  @DisplayName("A program that cannot be started fails its step with a note, and is not rolled back")
  void notStarted() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one").rollback("notify"));
    works.processes.plan("one", new Processes.NotStarted(127, "there is no program 'do'"))
        .plan("notify.run-rollback", OK);

    Run run = works.run("deploy");

    assertThat(run.progress().steps().getFirst()).satisfies(step -> {
      assertThat(step.status()).isEqualTo(StepRecord.Status.FAILED);
      assertThat(step.exitCode()).isEqualTo(127);
      assertThat(step.note()).isEqualTo("there is no program 'do'");
    });
    assertThat(run.progress().rollback()).extracting(StepRecord::name).containsExactly("notify");
  }

  @Test
  @DisplayName("A step that a signal ended is rolled back, because it may have done half of its work")
  void signalled() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one"));
    works.processes.plan("one", new Processes.Signalled(9)).plan("one.rollback", OK);

    Run run = works.run("deploy");

    assertThat(run.progress().steps().getFirst().note()).isEqualTo("ended by signal 9");
    assertThat(run.progress().rollback()).extracting(StepRecord::name, StepRecord::status)
        .containsExactly(tuple("one", StepRecord.Status.SUCCEEDED));
  }

  @Test
  @DisplayName("A step whose output does not have its form fails although it exited with 0, and is rolled back")
  void printsSomethingElse() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").printing("one", StepLimits.NONE,
        new OutputRule(new OutputRule.Json(), 64)));
    works.processes.plan("one.rollback", OK);
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    one.print("{\"a\": 1}");
    one.print(" and more");
    one.exit(0);

    Run run = handle.await();

    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
    assertThat(run.progress().steps().getFirst()).satisfies(step -> {
      assertThat(step.status()).isEqualTo(StepRecord.Status.FAILED);
      assertThat(step.exitCode()).isZero();
      assertThat(step.note()).startsWith("its output is not one JSON document: text after the end of the value");
    });
    assertThat(run.progress().rollback()).extracting(StepRecord::status).containsExactly(StepRecord.Status.SUCCEEDED);
  }

  @Test
  @DisplayName("Output in its form succeeds; more than its maximum does not, however it begins; a failed step keeps its exit code")
  void printsItsForm() {
    works
        .with(IntentBuilder.observe("good").printing("one", StepLimits.NONE, new OutputRule(new OutputRule.Json(), 8)));

    assertThat(printing("[1]\n", 0)).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(printing("[1]      ", 0)).isEqualTo(RunStatus.FAILED);
    assertThat(printing("x", 3)).isEqualTo(RunStatus.FAILED);
    assertThat(works.store.find(new RequestId("r3")).orElseThrow().progress().steps().getFirst().note()).isNull();
  }

  private RunStatus printing(String text, int code) {
    int number = ++printed;
    RunHandle handle = works.accepted(TestExecutor.request("good", "r" + number));
    works.processes.plan("one.rollback", OK);
    ManualProcesses.Hand one = works.processes.awaitStart(number + undone);
    one.print(text);
    one.exit(code);
    RunStatus status = handle.await().status();
    undone += status == RunStatus.SUCCEEDED ? 0 : 1;
    return status;
  }

  @Test
  @DisplayName("TF-4.1 TF-4.4 a run that is blocked rolls nothing back, leaves no record and no other lock")
  void blocked() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one").rollback("notify"));
    works.hold("prod", "bob-1");

    SubmitOutcome submission = works.runs.submit(TestExecutor.request("deploy", "r1"));

    assertThat(submission).isInstanceOfSatisfying(SubmitOutcome.OwnRefused.class, refused -> {
      assertThat(refused.lock()).isEqualTo(new LeaseName("prod"));
      assertThat(refused.refusal()).isInstanceOfSatisfying(Decision.Blocked.class,
          blocked -> assertThat(blocked.lease().requestId()).isEqualTo(new RequestId("bob-1")));
    });
    assertThat(works.processes.events()).isEmpty();
    assertThat(works.store.calls()).isEmpty();
    assertThat(works.audit.events()).hasExactlyElementsOfTypes(AuditEvent.LockAcquired.class,
        AuditEvent.LockActor.class, AuditEvent.LockBlocked.class);
  }

  @Test
  @DisplayName("TF-6.3 TF-7.1 a stale lock has its own refusal; with force it is stolen, and the run warns")
  void stale() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    works.processes.plan("one", OK);
    works.hold("prod", "bob-1");
    works.time.advance(Duration.ofSeconds(902));

    assertThat(works.runs.submit(TestExecutor.request("deploy", "r1")))
        .isInstanceOfSatisfying(SubmitOutcome.OwnRefused.class,
            refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Stale.class));
    Run run = works.accepted(TestExecutor.request("deploy", "r2", new LockTerms(true, Duration.ZERO))).await();

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.lock()).satisfies(lock -> assertThat(lock.stolen()).isTrue());
    assertThat(works.audit.events()).hasExactlyElementsOfTypes(AuditEvent.LockAcquired.class,
        AuditEvent.LockActor.class, AuditEvent.LockBlocked.class, AuditEvent.LockStolen.class,
        AuditEvent.LockActor.class, AuditEvent.LockAcquired.class, AuditEvent.LockActor.class,
        AuditEvent.RunStarted.class, AuditEvent.LockReleased.class, AuditEvent.LockActor.class,
        AuditEvent.RunFinished.class);
  }

  @Test
  @DisplayName("TF-9.1 TF-9.2 TF-A31 an observe intent takes no lock and is blocked by none, though it names one")
  void observe() {
    works.with(IntentBuilder.observe("report").lock("prod").step("one", "true"));
    works.processes.plan("one", OK);
    works.hold("prod", "bob-1");

    Run run = works.run("report");

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.lock()).isNull();
    assertThat(run.warnings()).isEmpty();
    assertThat(works.locks.view(new LeaseName("prod")).state()).hasToString("active");
  }

  @Test
  @DisplayName("TF-9.5 TF-9.6 a mutate intent without a lock runs, with the specification's warning")
  void mutateWithoutLock() {
    works.with(IntentBuilder.mutate("deploy").step("one", "true"));
    works.processes.plan("one", OK);

    Run run = works.run("deploy");

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.warnings()).containsExactly("Mutate intent without lock - concurrent execution possible");
  }

  @Test
  @DisplayName("TF-9.7 TF-A30 a reconcile intent locks and is blocked like a mutate one; without a lock it warns")
  void reconcile() {
    works.with(IntentBuilder.reconcile("tidy").lock("prod").step("one", "true"),
        IntentBuilder.reconcile("sweep").step("one", "true"));
    works.processes.plan("one", OK);

    assertThat(works.run("sweep").warnings())
        .containsExactly("Reconcile intent without lock - conflicting reconciliation possible");
    works.hold("prod", "bob-1");
    assertThat(works.runs.submit(TestExecutor.request("tidy", "r2"))).isInstanceOf(SubmitOutcome.OwnRefused.class);
  }

  @Test
  @DisplayName("TF-A32 a lock template without a valid name is an error before anything is done, never a run without a lock")
  void invalidLockName() {
    works.with(IntentBuilder.mutate("deploy").lock("-${params.app}").step("one", "true"));

    assertThat(works.runs.submit(TestExecutor.request("deploy", "r1")))
        .isInstanceOfSatisfying(SubmitOutcome.InvalidLockName.class, invalid -> assertThat(invalid.problem())
            .contains("'-money'").contains("it comes from the intent's lock template -${params.app}"));
    assertThat(works.store.calls()).isEmpty();
    assertThat(works.processes.events()).isEmpty();
  }

  @Test
  @DisplayName("An unknown intent gets similar names; parameters get every problem at once")
  void notRunnable() {
    works.with(IntentBuilder.mutate("deploy").step("one", "true"),
        IntentBuilder.mutate("unrelated").step("one", "true"));

    assertThat(works.runs.submit(TestExecutor.request("deplyo", "r1")))
        .isEqualTo(new SubmitOutcome.UnknownIntent("deplyo", List.of("deploy")));
    assertThat(works.runs.submit(new RunRequest("deploy",
        Map.of("app", new Values.Given("7", Values.Given.Kind.NUMBER),
            "zone", new Values.Given("x", Values.Given.Kind.STRING)),
        null, null, new Run.Origin(new Actor("alice", Door.RUN), "{}", null), LockTerms.PLAIN, null, null)))
        .isEqualTo(new SubmitOutcome.InvalidParams(List.of(
            new Values.Problem("/params/app", "must be a string, written in quotes"),
            new Values.Problem("/params/zone", "unknown parameter; the intent has app, key"))));
  }

  @Test
  @DisplayName("TF-8.3 a lock that cannot be removed is a warning, and the result of the run is unchanged")
  void releaseFails() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.delete("prod");
    one.exit(0);

    Run run = handle.await();

    assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(run.warnings()).containsExactly("the lock was removed before the run released it");
    assertThat(run.lock()).extracting(Run.LockNote::lost).isEqualTo(true);
  }

  @Test
  @DisplayName("A run that cannot be recorded does not start; a later failure to record is a warning at the end")
  void storeFails() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.store.fail("disk full");
    one.exit(0);

    assertThat(handle.await().warnings()).containsExactly("the end of the run could not be recorded: disk full");
    assertThat(works.runs.submit(TestExecutor.request("deploy", "r2")))
        .isEqualTo(new SubmitOutcome.Unavailable(ErrorCode.STORAGE_UNAVAILABLE, "disk full"));
    assertThat(works.isLocked("prod")).isFalse();
  }

  @Test
  @DisplayName("A run whose record cannot be synced starts no step, releases its lock, and can be requested again")
  void beginNotSynced() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    works.store.failSyncs("disk broken");

    assertThat(works.runs.submit(TestExecutor.request("deploy", "r1")))
        .isEqualTo(new SubmitOutcome.Unavailable(ErrorCode.STORAGE_UNAVAILABLE,
            "the changes cannot be synced to the disk: disk broken"));
    assertThat(works.isLocked("prod")).isFalse();
    works.store.recover();
    isInterruptedAndRepeatable();
  }

  @Test
  @DisplayName("An end that cannot be synced is a warning, and is recorded again")
  void endNotSynced() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    works.store.failSyncs("disk broken");
    one.exit(0);

    assertThat(handle.await().warnings()).containsExactly(
        "the end of the run could not be recorded: the changes cannot be synced to the disk: disk broken");
    assertThat(works.isLocked("prod")).isFalse();
    works.store.recover();
    Await.until("the end is recorded again", () -> {
      works.time.advance(Duration.ofSeconds(1));
      return works.store.calls().stream().filter("save succeeded durably"::equals).count() == 2;
    });
  }

  @Test
  @DisplayName("Runs of dead executors are interrupted; those of live ones are not")
  void recover() {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    works.processes.awaitStart(1);
    Run left = handle.run();
    works.store.begin(new RunStore.RequestKey(new RequestId("r2"), "alice", null, "d"),
        new Run(Run.Header.of(new RequestId("r2"), left.header().subject(), left.header().origin(),
            left.header().createdAt()), RunStatus.RUNNING, null, left.progress(), List.of(),
            null, null, null, null),
        "executor-0");
    works.deadExecutors.add("executor-0");

    assertThat(works.runs.recover()).extracting(Run::requestId).containsExactly(new RequestId("r2"));
    assertThat(works.runs.find(new RequestId("r2"))).hasValueSatisfying(
        found -> assertThat(found.await().status()).isEqualTo(RunStatus.INTERRUPTED));
    assertThat(handle.run().status()).isEqualTo(RunStatus.RUNNING);
    assertThat(finished()).satisfies(event -> {
      assertThat(event.status()).isEqualTo("interrupted");
      assertThat(event.rollback()).isEqualTo("skipped: executor died");
    });
    assertThat(works.locks.view(new LeaseName("prod")).state()).hasToString("active");
  }

  @Test
  @DisplayName("A closing executor rejects new runs, and cancels active ones after the grace period")
  void closing() throws InterruptedException {
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one"));
    works.processes.plan("one.rollback", OK);
    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    int timers = works.time.pendingDelays().size();
    Thread closing = Thread.ofVirtual().start(() -> works.runs.close(Duration.ofSeconds(20)));
    while (works.time.pendingDelays().size() == timers) {
      Thread.onSpinWait();
    }

    assertThat(works.runs.submit(TestExecutor.request("deploy", "r2"))).isEqualTo(new SubmitOutcome.Closing());
    assertThat(one.isStopped()).isFalse();
    works.time.advance(Duration.ofSeconds(20));
    closing.join();

    assertThat(one.isStopped()).isTrue();
    assertThat(handle.run().status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(handle.run().progress().rollback()).extracting(StepRecord::status)
        .containsExactly(StepRecord.Status.SUCCEEDED);
    assertThat(released().result()).isEqualTo(Locks.Result.ABORTED.toString());
    assertThat(works.isLocked("prod")).isFalse();
  }

  @Test
  @DisplayName("A request admitted while the executor closes is run or ended before the executor has closed")
  void closingWhileOneComesIn() throws InterruptedException {
    works.with(IntentBuilder.mutate("deploy").lock("prod").step("one", "true"));
    Thread closing = Thread.ofPlatform().unstarted(() -> works.runs.close(Duration.ofSeconds(20)));
    works.store.beforeBegin(() -> {
      closing.start();
      while (closing.getState() != Thread.State.WAITING && closing.isAlive()) {
        Thread.onSpinWait();
      }
    });

    RunHandle handle = works.accepted(TestExecutor.request("deploy", "r1"));
    assertThat(closing.isAlive()).isTrue();
    ManualProcesses.Hand one = works.processes.awaitStart(1);
    assertThat(works.runs.submit(TestExecutor.request("deploy", "r2"))).isEqualTo(new SubmitOutcome.Closing());
    one.exit(0);
    closing.join();
    assertThat(handle.run().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.isLocked("prod")).isFalse();
  }

  private AuditEvent.LockReleased released() {
    return last(AuditEvent.LockReleased.class);
  }

  private AuditEvent.RunFinished finished() {
    return last(AuditEvent.RunFinished.class);
  }

  private <T extends AuditEvent> T last(Class<T> type) {
    return works.audit.events().stream().filter(type::isInstance).map(type::cast).toList().getLast();
  }
}
