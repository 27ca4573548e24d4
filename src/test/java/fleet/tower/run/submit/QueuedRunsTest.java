package fleet.tower.run.submit;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.harness.Await;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.Locks;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.StorageException;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.QueuedRuns.TakeOutcome;
import fleet.tower.run.submit.Runs.PlanOutcome;

/** Executors that share a home and its queue. */
class QueuedRunsTest {
  private static final RequestId R1 = new RequestId("r1");
  private static final LockTerms PATIENT = new LockTerms(false, Duration.ofMinutes(5));

  @AutoClose
  private final TestExecutor works;
  private final Notes notes = new Notes();
  private final QueuedRuns first;
  private final Runs otherRuns;
  private final QueuedRuns second;

  /** The backlog, from which a test takes entries. */
  private static final class Notes implements QueuedRuns.Backlog {
    final List<RequestId> put = new ArrayList<>();
    final List<Run.Declaration> declarations = new ArrayList<>();
    final Set<String> addressed = new HashSet<>();
    final List<RequestId> drained = new ArrayList<>();

    @Override
    public Set<String> addressed() {
      return addressed;
    }

    @Override
    public void drain(String digest, Predicate<RequestId> end) {
      put.stream().filter(end).forEach(drained::add);
    }

    @Override
    public void put(RequestId requestId, Run.@Nullable Declaration declaration) {
      put.add(requestId);
      if (declaration != null) {
        declarations.add(declaration);
      }
    }

    @Override
    public long size() {
      return put.size();
    }
  }

  QueuedRunsTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one").undoable("two"));
    first = works.runs.queued(notes);
    otherRuns = works.executor("executor-2");
    second = otherRuns.queued(notes);
  }

  private RunHandle enqueued(RunRequest request) {
    return switch (first.enqueue(request)) {
      case SubmitOutcome.Accepted(RunHandle handle, boolean replayed) when !replayed -> handle;
      case SubmitOutcome other -> throw new AssertionError("not queued: " + other);
    };
  }

  private static TakeOutcome.Taken taken(TakeOutcome taking) {
    if (taking instanceof TakeOutcome.Taken taken) {
      return taken;
    }
    throw new AssertionError("not taken: " + taking);
  }

  private Run stored() {
    return works.store.find(R1).orElseThrow();
  }

  @Test
  @DisplayName("A run that was taken without an answer from the store returns to the queue, and another executor runs "
      + "it")
  void takenWithoutAnswer() {
    enqueued(TestExecutor.request("deploy", "r1"));
    works.store.loseAnswer();
    assertThatThrownBy(() -> first.take(R1)).isInstanceOf(StorageException.class);
    assertThat(second.take(R1)).isEqualTo(new TakeOutcome.Elsewhere());

    Await.until("another executor can take it", () -> {
      works.time.advance(Duration.ofSeconds(1));
      return works.store.unfinished().equals(List.of(new RunStore.Unfinished(R1, RunStore.QUEUE)));
    });
    taken(second.take(R1));
    works.processes.awaitStart(1).exit(0);
    works.processes.awaitStart(2).exit(0);
    Await.until("it has ended", () -> stored().status() == RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("A run whose first step started while the store was unavailable is not started again: it is interrupted")
  void begunWithoutRecord() {
    Run.Progress before = enqueued(TestExecutor.request("deploy", "r1")).run().progress();
    taken(first.take(R1));
    works.processes.awaitStart(1);
    works.store.save(stored().withProgress(_ -> before), true);
    works.deadExecutors.add("executor-1");

    assertThat(second.take(R1)).isEqualTo(new TakeOutcome.Done());
    assertThat(otherRuns.find(R1).orElseThrow().run().status()).isEqualTo(RunStatus.INTERRUPTED);
  }

  @Test
  @DisplayName("A queued run whose executor closes while the store is unavailable returns to the queue when the store "
      + "is back")
  void returnedLater() {
    works.hold("prod", "bob-1");
    enqueued(TestExecutor.request("deploy", "r1", PATIENT));
    TakeOutcome.Taken taken = taken(first.take(R1));
    works.awaitWaiter("prod");
    works.store.fail("disk full");
    works.runs.close(Duration.ZERO);
    assertThat(taken.end().getAsBoolean()).isFalse();
    works.store.recover();

    Await.until("it is in the queue", () -> {
      works.time.advance(Duration.ofSeconds(1));
      return works.store.unfinished().equals(List.of(new RunStore.Unfinished(R1, RunStore.QUEUE)));
    });
  }

  @Test
  @DisplayName("A queued run is recorded, added to the backlog, audited, and not started; the executor that takes it "
      + "runs it")
  void taken() {
    RunHandle handle = enqueued(TestExecutor.request("deploy", "r1"));
    assertThat(handle.run().status()).isEqualTo(RunStatus.WAITING);
    assertThat(handle.run().isQueued()).isTrue();
    assertThat(notes.put).containsExactly(R1);
    assertThat(works.store.unfinished()).containsExactly(new RunStore.Unfinished(R1, RunStore.QUEUE));
    assertThat(works.audit.events()).containsExactly(
        new AuditEvent.RunQueued(R1, works.time.now(), "deploy", new LeaseName("prod"),
            new Origin(new Actor("alice", Door.RUN), "deploy", "tower-01", 4711L, null)));
    assertThat(works.runs.recover()).as("no executor that could have died has it").isEmpty();

    TakeOutcome.Taken taken = taken(second.take(R1));
    works.processes.awaitStart(1).exit(0);
    works.processes.awaitStart(2).exit(0);

    assertThat(taken.end().getAsBoolean()).isTrue();
    assertThat(handle.run().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(works.processes.awaitStart(1).command().environment()).containsEntry("PARAM_APP", "money");
    assertThat(first.take(R1)).isEqualTo(new TakeOutcome.Done());
  }

  @Test
  @DisplayName("The entry alone decides nothing: of two executors with it, only one gets the run, even if the other "
      + "tries again")
  void twice() {
    works.hold("prod", "gate");
    enqueued(TestExecutor.request("deploy", "r1", PATIENT));

    TakeOutcome.Taken taken = taken(first.take(R1));
    works.awaitWaiter("prod");
    assertThat(first.take(R1)).as("it was delivered to us again").isEqualTo(new TakeOutcome.Elsewhere());
    works.delete("prod");
    works.time.advance(Duration.ofSeconds(11));
    works.processes.awaitStart(1);
    assertThat(second.take(R1)).as("a step has begun, so no other executor can take it")
        .isEqualTo(new TakeOutcome.Done());
    assertThat(second.take(new RequestId("none"))).isEqualTo(new TakeOutcome.Done());

    works.runs.cancel(R1);
    works.processes.awaitStart(2).exit(0);
    assertThat(taken.end().getAsBoolean()).isTrue();
    assertThat(stored().status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  @DisplayName("A run whose executor died before its first step is taken by another one, with its lock if it had one")
  void diedBefore() {
    works.hold("prod", "gate");
    enqueued(TestExecutor.request("deploy", "r1", PATIENT));
    TakeOutcome.Taken dead = taken(first.take(R1));
    works.awaitWaiter("prod");
    assertThat(second.take(R1)).isEqualTo(new TakeOutcome.Elsewhere());

    works.deadExecutors.add("executor-1");
    assertThat(otherRuns.recover()).as("it is not lost, so it is not interrupted").isEmpty();
    TakeOutcome.Taken taken = taken(second.take(R1));
    works.delete("prod");
    works.time.advance(Duration.ofSeconds(11));

    ManualProcesses.Hand one = works.processes.awaitStart(1);
    one.exit(0);
    works.processes.awaitStart(2).exit(0);
    assertThat(taken.end().getAsBoolean()).isTrue();
    assertThat(dead.end().getAsBoolean()).as("it was not dead, but sees that the run is no longer its own")
        .isFalse();
    assertThat(works.processes.events()).containsOnlyOnce("start one");
    assertThat(stored().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.isLocked("prod")).isFalse();
  }

  private AcquireOutcome lock(String actor, AcquireRequest.Metadata metadata) {
    return works.locks.acquire(TestRequest.of(new LeaseName("prod"), R1,
        new Holder(actor, "manual", "none", "tower-01", 1, false), new Ttl(900), false, metadata));
  }

  @Test
  @DisplayName("A queued run does not use a lock that a client took under its id and actor")
  void clientsLock() {
    assertThat(lock("alice", AcquireRequest.Metadata.NONE)).isInstanceOf(AcquireOutcome.Granted.class);
    enqueued(TestExecutor.request("deploy", "r1"));

    assertThat(taken(first.take(R1)).end().getAsBoolean()).isTrue();

    assertThat(stored().refusal()).isInstanceOf(RunRefusal.Blocked.class);
    assertThat(works.processes.events()).isEmpty();
    assertThat(works.isLocked("prod")).isTrue();
  }

  @Test
  @DisplayName("A patient run waits for a lock that a client took under its id and actor, as for every other")
  void waitsForAClientsLock() {
    lock("alice", AcquireRequest.Metadata.NONE);
    enqueued(TestExecutor.request("deploy", "r1", PATIENT));
    TakeOutcome.Taken taken = taken(first.take(R1));
    Await.until("the run waits", () -> works.locks.waiters(new LeaseName("prod")) == 1);

    works.locks.release(ACTOR, new LeaseName("prod"), Owner.ofClient(R1, "alice"), FencingToken.NONE,
        Locks.Result.SUCCESS, null);
    works.processes.awaitStart(1).exit(0);
    works.processes.awaitStart(2).exit(0);

    assertThat(taken.end().getAsBoolean()).isTrue();
    assertThat(stored().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @ParameterizedTest(name = "the run''s: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("A run taken from a dead executor keeps its lock, but not the lock of a client with its id and actor")
  void resumed(boolean isOfRun) {
    enqueued(TestExecutor.request("deploy", "r1"));
    assertThat(works.store.take(R1, RunStore.QUEUE, "executor-0")).isPresent();
    lock("alice", isOfRun ? AcquireRequest.Metadata.NONE.ofRun() : AcquireRequest.Metadata.NONE);
    works.deadExecutors.add("executor-0");

    TakeOutcome.Taken taken = taken(second.take(R1));
    if (isOfRun) {
      works.processes.awaitStart(1).exit(0);
      works.processes.awaitStart(2).exit(0);
    }

    assertThat(taken.end().getAsBoolean()).isTrue();
    assertThat(stored().status()).isEqualTo(isOfRun ? RunStatus.SUCCEEDED : RunStatus.REFUSED);
    assertThat(works.isLocked("prod")).isNotEqualTo(isOfRun);
  }

  @Test
  @DisplayName("A run whose executor died after a step had started is interrupted and never repeated")
  void diedAfter() {
    enqueued(TestExecutor.request("deploy", "r1"));
    taken(first.take(R1));
    works.processes.awaitStart(1);

    works.deadExecutors.add("executor-1");
    assertThat(second.take(R1)).isEqualTo(new TakeOutcome.Done());

    assertThat(otherRuns.recover()).extracting(Run::requestId).containsExactly(R1);
    assertThat(stored().status()).isEqualTo(RunStatus.INTERRUPTED);
    assertThat(second.take(R1)).isEqualTo(new TakeOutcome.Done());
  }

  @Test
  @DisplayName("A closing executor returns runs that wait for their locks, and finishes those that have started")
  void givenBack() {
    works.hold("prod", "gate");
    enqueued(TestExecutor.request("deploy", "r1", PATIENT));
    TakeOutcome.Taken taken = taken(first.take(R1));
    works.awaitWaiter("prod");

    works.runs.close(Duration.ZERO);

    assertThat(taken.end().getAsBoolean()).isFalse();
    assertThat(stored().status()).isEqualTo(RunStatus.WAITING);
    assertThat(works.store.unfinished()).containsExactly(new RunStore.Unfinished(R1, RunStore.QUEUE));
    assertThat(first.take(R1)).isEqualTo(new TakeOutcome.Closing());
    assertThat(first.enqueue(TestExecutor.request("deploy", "r2"))).isEqualTo(new SubmitOutcome.Closing());
    works.delete("prod");
    TakeOutcome.Taken again = taken(second.take(R1));
    works.processes.awaitStart(1).exit(0);
    works.processes.awaitStart(2).exit(0);
    assertThat(again.end().getAsBoolean()).isTrue();
  }

  @Test
  @DisplayName("A queued run without an executor is cancelled by any; one that waits is cancelled by its own, and does not return")
  void cancelled() {
    enqueued(TestExecutor.request("deploy", "r1", PATIENT));
    assertThat(otherRuns.cancel(R1)).isEqualTo(new Runs.CancelOutcome.Requested());
    assertThat(stored().status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(first.take(R1)).isEqualTo(new TakeOutcome.Done());

    works.hold("prod", "gate");
    enqueued(TestExecutor.request("deploy", "r2", PATIENT));
    TakeOutcome.Taken taken = taken(first.take(new RequestId("r2")));
    works.awaitWaiter("prod");
    assertThat(works.runs.cancel(new RequestId("r2"))).isEqualTo(new Runs.CancelOutcome.Requested());
    assertThat(taken.end().getAsBoolean()).isTrue();
    assertThat(works.store.find(new RequestId("r2")).orElseThrow().status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  @DisplayName("The lock is requested when the run is taken, and may be refused then")
  void refused() {
    works.hold("prod", "gate");
    enqueued(TestExecutor.request("deploy", "r1"));

    assertThat(taken(first.take(R1)).end().getAsBoolean()).isTrue();

    assertThat(stored().status()).isEqualTo(RunStatus.REFUSED);
    assertThat(stored().refusal()).isInstanceOf(RunRefusal.Blocked.class);
  }

  @Test
  @DisplayName("A repeated request is the same run, and is added again, in case a crash prevented that")
  void replayed() {
    enqueued(TestExecutor.request("deploy", "r1"));
    notes.put.clear();

    assertThat(second.enqueue(TestExecutor.request("deploy", "r1")))
        .isInstanceOfSatisfying(SubmitOutcome.Accepted.class,
            again -> assertThat(again.replayed()).isTrue());
    assertThat(notes.put).containsExactly(R1);

    notes.put.clear();
    first.mend();
    assertThat(notes.put).containsExactly(R1);
    first.mend();
    assertThat(notes.put).as("nothing is missing").containsExactly(R1);
    assertThat(second.enqueue(TestExecutor.request("deploy", "r1", PATIENT)))
        .as("a longer wait is the same request").isInstanceOf(SubmitOutcome.Accepted.class);
    assertThat(second.enqueue(TestExecutor.request("deploy", "r1", new LockTerms(true, Duration.ZERO))))
        .isEqualTo(new SubmitOutcome.Mismatch(R1));
  }

  @Test
  @DisplayName("An intent that changed after the request, before the run was taken, ends the run with that reason, and "
      + "no step starts")
  void changed() {
    enqueued(TestExecutor.request("deploy", "r1"));
    works.intents.remove("deploy");

    assertThat(first.take(R1)).isEqualTo(new TakeOutcome.Done());

    assertThat(stored().status()).isEqualTo(RunStatus.REFUSED);
    assertThat(stored().refusal()).isEqualTo(new RunRefusal.IntentChanged("deploy", "it no longer exists"));
  }

  private static final Catalogue NO_INTENTS = new Catalogue() {
    @Override
    public Optional<Intent> find(String name) {
      return Optional.empty();
    }

    @Override
    public List<Intent> list() {
      return List.of();
    }

    @Override
    public List<Complaint> complaints() {
      return List.of();
    }
  };

  /** The hosts of a fleet, as a test sets them. */
  private static final class Fleet implements EligibleHosts {
    boolean isAbandoned;
    String absence = "";
    @Nullable
    Catalogue seenByQueue;

    @Override
    public Catalogue seenByQueue(Catalogue callers) {
      return seenByQueue == null ? callers : seenByQueue;
    }

    @Override
    public List<String> missingHere(List<String> runsOn) {
      return runsOn.stream().filter(label -> !label.equals("gpu")).toList();
    }

    @Override
    public Optional<String> absence(String intent, Run.Declaration declaration) {
      return Optional.of(absence).filter(it -> !it.isEmpty());
    }

    @Override
    public boolean isAbandoned(String digest) {
      return isAbandoned;
    }
  }

  @Test
  @DisplayName("A run whose intent has changed here stays in the queue for other hosts, and is refused when none has it")
  void elsewhere() {
    Fleet fleet = new Fleet();
    QueuedRuns third = works.executor("executor-3", fleet).queued(notes);
    enqueued(TestExecutor.request("deploy", "r1"));
    String digest = works.digestOf("deploy");
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one").undoable("another"));
    notes.addressed.add(digest);

    assertThat(third.digestsHere()).doesNotContain(digest);
    assertThat(third.take(R1)).isEqualTo(new TakeOutcome.NotHere());
    assertThat(works.store.unfinished()).containsExactly(new RunStore.Unfinished(R1, RunStore.QUEUE));
    notes.put.clear();
    third.restore(R1);
    assertThat(notes.put).containsExactly(R1);
    third.refuseAbandoned();
    assertThat(stored().status()).isEqualTo(RunStatus.WAITING);

    fleet.isAbandoned = true;
    third.refuseAbandoned();
    assertThat(stored().refusal()).isEqualTo(new RunRefusal.IntentChanged("deploy",
        "its file, or a file that it executes, has changed since the run was requested"));
    assertThat(notes.drained).containsExactly(R1);
    third.restore(R1);
    assertThat(notes.put).as("it has ended").containsExactly(R1);
  }

  @Test
  @DisplayName("A run whose intent is still visible to callers but not to the queue is neither started nor refused by "
      + "the review")
  void seenByCallersOnly() {
    Fleet fleet = new Fleet();
    QueuedRuns third = works.executor("executor-3", fleet).queued(notes);
    enqueued(TestExecutor.request("deploy", "r1"));
    notes.addressed.add(works.digestOf("deploy"));
    fleet.isAbandoned = true;
    fleet.seenByQueue = NO_INTENTS;

    third.refuseAbandoned();

    assertThat(stored().status()).isEqualTo(RunStatus.WAITING);
    assertThat(works.store.unfinished()).containsExactly(new RunStore.Unfinished(R1, RunStore.QUEUE));
    works.intents.remove("deploy");
    third.refuseAbandoned();
    assertThat(stored().refusal()).isEqualTo(new RunRefusal.IntentChanged("deploy", "it no longer exists"));
  }

  @Test
  @DisplayName("A request at a host without the required label goes to the queue, addressed to those that have it, and says if none does")
  void forwarded() {
    Fleet fleet = new Fleet();
    Runs runs = works.executor("executor-3", fleet);
    QueuedRuns third = runs.queued(notes);
    works.with(IntentBuilder.mutate("train").runsOn("gpu").step("one", "true"),
        IntentBuilder.mutate("dba").runsOn("gpu", "db-admin").step("one", "true"));
    fleet.absence = "no live host has the label db-admin";

    assertThat(runs.missingLabels("train")).isEmpty();
    assertThat(runs.missingLabels("dba")).containsExactly("db-admin");
    assertThat(third.digestsHere()).contains(works.digestOf("train"))
        .doesNotContain(works.digestOf("dba"));
    SubmitOutcome outcome = runs.submit(TestExecutor.request("dba", "r1"));

    assertThat(outcome).isInstanceOfSatisfying(SubmitOutcome.Accepted.class, accepted -> {
      assertThat(accepted.handle().run().warnings()).contains("no live host has the label db-admin");
      assertThat(runs.waitOf(accepted.handle().run(), accepted.handle()))
          .contains(new RunWait.ForExecutor(null, 0, "no live host has the label db-admin", null));
    });
    assertThat(notes.declarations)
        .containsExactly(new Run.Declaration(works.digestOf("dba"), List.of("gpu", "db-admin")));
    assertThat(third.take(R1)).isEqualTo(new TakeOutcome.NotHere());
    assertThat(runs.submit(TestExecutor.request("dba", "r2").requiring(PlanHash.parse("0123456789ab"))))
        .isInstanceOf(SubmitOutcome.PlanChanged.class);
    assertThat(works.runs.submit(TestExecutor.request("dba", "r1"))).as("a repetition at another host")
        .isInstanceOfSatisfying(SubmitOutcome.Accepted.class, again -> assertThat(again.replayed()).isTrue());
    assertThat(runs.plan(TestExecutor.request("dba", "r3"))).isInstanceOfSatisfying(PlanOutcome.Planned.class,
        planned -> assertThat(planned.plan().warnings()).contains("no live host has the label db-admin"));
  }

  @Test
  @DisplayName("A request with a secret is not queued: the database would contain it")
  void secret() {
    works.with(IntentBuilder.mutate("vault").lock("prod").step("one", "true"));
    RunRequest request = new RunRequest("vault", Map.of("key", new Values.Given("hush-hush", Values.Given.Kind.STRING)),
        R1, null, new Run.Origin(new Actor("alice", Door.RUN), "{}", null), LockTerms.PLAIN, null, null);

    assertThat(first.enqueue(request)).isInstanceOfSatisfying(SubmitOutcome.InvalidParams.class,
        why -> assertThat(why.problems()).singleElement().satisfies(problem -> {
          assertThat(problem.pointer()).isEqualTo("/params/key");
          assertThat(problem.message()).contains("secret").doesNotContain("hush-hush");
        }));
    assertThat(works.store.find(R1)).isEmpty();
    assertThat(notes.put).isEmpty();
  }

  @Test
  @DisplayName("A run that never reaches its first step, however often it is tried, is given up as interrupted")
  void givenUp() {
    enqueued(TestExecutor.request("deploy", "r1"));
    first.giveUp(R1);
    assertThat(stored().status()).isEqualTo(RunStatus.INTERRUPTED);
    first.giveUp(R1);
    first.giveUp(new RequestId("none"));
  }
}
