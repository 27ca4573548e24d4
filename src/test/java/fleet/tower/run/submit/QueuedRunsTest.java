package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Door;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.run.ProcessesByHand;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.RunHandle;

/** Executors that share a home, and take from its queue. */
@Timeout(60)
class QueuedRunsTest {
  private static final RequestId R1 = new RequestId("r1");
  private static final RunRequest.Terms PATIENT = new RunRequest.Terms(false, Duration.ofMinutes(5));

  private final Works works;
  private final Notes notes = new Notes();
  private final QueuedRuns first;
  private final Runs otherRuns;
  private final QueuedRuns second;

  /** What is noted, for a test to hand out. */
  private static final class Notes implements QueuedRuns.Backlog {
    final List<RequestId> put = new ArrayList<>();

    @Override
    public void put(RequestId requestId) {
      put.add(requestId);
    }

    @Override
    public long size() {
      return put.size();
    }
  }

  QueuedRunsTest(@TempDir Path directory) {
    works = new Works(directory.resolve("locks"));
    works.with(Declared.mutate("deploy").lock("prod").undoable("one").undoable("two"));
    first = works.runs.queued(notes);
    otherRuns = works.executor("executor-2");
    second = otherRuns.queued(notes);
  }

  @AfterEach
  void close() {
    works.close();
  }

  private RunHandle enqueued(RunRequest request) {
    return switch (first.enqueue(request)) {
      case SubmitOutcome.Accepted(RunHandle ticket, boolean replayed) when !replayed -> ticket;
      case SubmitOutcome other -> throw new AssertionError("not queued: " + other);
    };
  }

  private static QueuedRuns.Taken taken(QueuedRuns.Taking taking) {
    if (taking instanceof QueuedRuns.Taken taken) {
      return taken;
    }
    throw new AssertionError("not taken: " + taking);
  }

  private Run stored() {
    return works.store.find(R1).orElseThrow();
  }

  @Test
  @DisplayName("A queued run is recorded as nobody's, noted, audited, and not begun; whoever takes it runs it to its end")
  void taken() {
    RunHandle ticket = enqueued(Works.request("deploy", "r1"));
    assertThat(ticket.run().status()).isEqualTo(RunStatus.WAITING);
    assertThat(ticket.run().isQueued()).isTrue();
    assertThat(notes.put).containsExactly(R1);
    assertThat(works.store.unfinished()).containsExactly(new RunStore.Unfinished(R1, RunStore.QUEUE));
    assertThat(works.audit.events()).containsExactly(
        new AuditEvent.RunQueued(R1, works.time.now(), "deploy", new LeaseName("prod"),
            new Origin(new Actor("alice", Door.RUN), "deploy", "tower-01", 4711L)));
    assertThat(works.runs.recover()).as("nobody who could have died has it").isEmpty();

    QueuedRuns.Taken taken = taken(second.take(R1));
    works.processes.awaitStart(1).exit(0);
    works.processes.awaitStart(2).exit(0);

    assertThat(taken.end().getAsBoolean()).isTrue();
    assertThat(ticket.run().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(works.processes.awaitStart(1).command().environment()).containsEntry("PARAM_APP", "money");
    assertThat(first.take(R1)).isEqualTo(new QueuedRuns.Over());
  }

  @Test
  @DisplayName("The note alone decides nothing: of two that have it one gets the run, also if the other asks again")
  void twice() {
    works.hold("prod", "gate");
    enqueued(Works.request("deploy", "r1", PATIENT));

    QueuedRuns.Taken taken = taken(first.take(R1));
    works.awaitWaiter("prod");
    assertThat(first.take(R1)).as("it was delivered to us again").isEqualTo(new QueuedRuns.Elsewhere());
    works.delete("prod");
    works.time.advance(Duration.ofSeconds(11));
    works.processes.awaitStart(1);
    assertThat(second.take(R1)).as("a step has begun, so it is nobody else's for ever")
        .isEqualTo(new QueuedRuns.Over());
    assertThat(second.take(new RequestId("none"))).isEqualTo(new QueuedRuns.Over());

    works.runs.cancel(R1);
    works.processes.awaitStart(2).exit(0);
    assertThat(taken.end().getAsBoolean()).isTrue();
    assertThat(stored().status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  @DisplayName("A run whose executor died before its first step is taken by another one, under its own lock if that was had")
  void diedBefore() {
    works.hold("prod", "gate");
    enqueued(Works.request("deploy", "r1", PATIENT));
    QueuedRuns.Taken dead = taken(first.take(R1));
    works.awaitWaiter("prod");
    assertThat(second.take(R1)).isEqualTo(new QueuedRuns.Elsewhere());

    works.deadExecutors.add("executor-1");
    assertThat(otherRuns.recover()).as("it is not lost, so it is not interrupted").isEmpty();
    QueuedRuns.Taken taken = taken(second.take(R1));
    works.delete("prod");
    works.time.advance(Duration.ofSeconds(11));

    ProcessesByHand.Hand one = works.processes.awaitStart(1);
    one.exit(0);
    works.processes.awaitStart(2).exit(0);
    assertThat(taken.end().getAsBoolean()).isTrue();
    assertThat(dead.end().getAsBoolean()).as("it was not dead, but sees that the run is not its own any more")
        .isFalse();
    assertThat(works.processes.events()).containsOnlyOnce("start one");
    assertThat(stored().status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(works.isLocked("prod")).isFalse();
  }

  private AcquireOutcome lockAsClient(String actor) {
    return works.locks.acquire(new AcquireRequest(new LeaseName("prod"), R1,
        new Holder(actor, "manual", "none", "tower-01", 1), new Ttl(900), false).with(AcquireRequest.Reentry.CLIENT));
  }

  @ParameterizedTest(name = "patient: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("A run from the queue does not enter a lock that a client took under its id and actor, and does not wait for it")
  void clientsLock(boolean patient) {
    enqueued(Works.request("deploy", "r1", patient ? PATIENT : RunRequest.Terms.PLAIN));
    assertThat(lockAsClient("alice")).isInstanceOf(AcquireOutcome.Granted.class);

    assertThat(taken(first.take(R1)).end().getAsBoolean()).isTrue();

    assertThat(stored().refusal()).isInstanceOf(RunRefusal.Blocked.class);
    assertThat(works.processes.events()).isEmpty();
    assertThat(works.isLocked("prod")).isTrue();
  }

  @Test
  @DisplayName("A run whose lock is held under its own id is not queued")
  void clientsLockBefore() {
    lockAsClient("alice");

    assertThat(first.enqueue(Works.request("deploy", "r1"))).isInstanceOfSatisfying(SubmitOutcome.Refused.class,
        refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Blocked.class));
    assertThat(works.store.find(R1)).isEmpty();
    assertThat(notes.put).isEmpty();
  }

  @ParameterizedTest(name = "taken by {0}")
  @ValueSource(strings = {"alice", "bob"})
  @DisplayName("A run that is taken from a dead executor keeps the lock of its id and actor, and none of its id alone")
  void resumed(String holder) {
    enqueued(Works.request("deploy", "r1"));
    assertThat(works.store.take(R1, RunStore.QUEUE, "executor-0")).isPresent();
    lockAsClient(holder);
    works.deadExecutors.add("executor-0");

    QueuedRuns.Taken taken = taken(second.take(R1));
    if (holder.equals("alice")) {
      works.processes.awaitStart(1).exit(0);
      works.processes.awaitStart(2).exit(0);
    }

    assertThat(taken.end().getAsBoolean()).isTrue();
    assertThat(stored().status()).isEqualTo(holder.equals("alice") ? RunStatus.SUCCEEDED : RunStatus.FAILED);
    assertThat(works.isLocked("prod")).isEqualTo(holder.equals("bob"));
  }

  @Test
  @DisplayName("A run whose executor died after a step had begun is interrupted and never repeated")
  void diedAfter() {
    enqueued(Works.request("deploy", "r1"));
    taken(first.take(R1));
    works.processes.awaitStart(1);

    works.deadExecutors.add("executor-1");
    assertThat(second.take(R1)).isEqualTo(new QueuedRuns.Over());

    assertThat(otherRuns.recover()).extracting(Run::requestId).containsExactly(R1);
    assertThat(stored().status()).isEqualTo(RunStatus.INTERRUPTED);
    assertThat(second.take(R1)).isEqualTo(new QueuedRuns.Over());
  }

  @Test
  @DisplayName("An executor that goes away gives back what waits for its lock, and finishes what has begun")
  void givenBack() {
    works.hold("prod", "gate");
    enqueued(Works.request("deploy", "r1", PATIENT));
    QueuedRuns.Taken taken = taken(first.take(R1));
    works.awaitWaiter("prod");

    works.runs.close(Duration.ZERO);

    assertThat(taken.end().getAsBoolean()).isFalse();
    assertThat(stored().status()).isEqualTo(RunStatus.WAITING);
    assertThat(works.store.unfinished()).containsExactly(new RunStore.Unfinished(R1, RunStore.QUEUE));
    assertThat(first.take(R1)).isEqualTo(new QueuedRuns.Closing());
    assertThat(first.enqueue(Works.request("deploy", "r2"))).isEqualTo(new SubmitOutcome.Closing());
    works.delete("prod");
    QueuedRuns.Taken again = taken(second.take(R1));
    works.processes.awaitStart(1).exit(0);
    works.processes.awaitStart(2).exit(0);
    assertThat(again.end().getAsBoolean()).isTrue();
  }

  @Test
  @DisplayName("A queued run that nobody has is cancelled by anybody; one that waits is by its executor, and does not go back")
  void cancelled() {
    enqueued(Works.request("deploy", "r1", PATIENT));
    assertThat(otherRuns.cancel(R1)).isEqualTo(new Runs.Asked());
    assertThat(stored().status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(first.take(R1)).isEqualTo(new QueuedRuns.Over());

    works.hold("prod", "gate");
    enqueued(Works.request("deploy", "r2", PATIENT));
    QueuedRuns.Taken taken = taken(first.take(new RequestId("r2")));
    works.awaitWaiter("prod");
    assertThat(works.runs.cancel(new RequestId("r2"))).isEqualTo(new Runs.Asked());
    assertThat(taken.end().getAsBoolean()).isTrue();
    assertThat(works.store.find(new RequestId("r2")).orElseThrow().status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  @DisplayName("The lock is asked for when the run is taken, and refused then as ever")
  void refused() {
    works.hold("prod", "gate");
    enqueued(Works.request("deploy", "r1"));

    assertThat(taken(first.take(R1)).end().getAsBoolean()).isTrue();

    assertThat(stored().status()).isEqualTo(RunStatus.FAILED);
    assertThat(stored().refusal()).isInstanceOf(RunRefusal.Blocked.class);
  }

  @Test
  @DisplayName("The same request again is the same run, and is noted again in case a crash had kept it from being so")
  void replayed() {
    enqueued(Works.request("deploy", "r1"));
    notes.put.clear();

    assertThat(second.enqueue(Works.request("deploy", "r1"))).isInstanceOfSatisfying(SubmitOutcome.Accepted.class,
        again -> assertThat(again.replayed()).isTrue());
    assertThat(notes.put).containsExactly(R1);

    notes.put.clear();
    first.mend();
    assertThat(notes.put).containsExactly(R1);
    first.mend();
    assertThat(notes.put).as("nothing is missing").containsExactly(R1);
    assertThat(second.enqueue(Works.request("deploy", "r1", PATIENT))).isEqualTo(new SubmitOutcome.Mismatch(R1));
  }

  @Test
  @DisplayName("What has changed between asking and taking ends the run with what has, and nothing is run")
  void changed() {
    enqueued(Works.request("deploy", "r1"));
    works.intents.remove("deploy");

    assertThat(first.take(R1)).isEqualTo(new QueuedRuns.Over());

    assertThat(stored().status()).isEqualTo(RunStatus.FAILED);
    assertThat(stored().refusal()).isEqualTo(new RunRefusal.IntentChanged("deploy", "there is no such intent any more"));
  }

  @Test
  @DisplayName("A run with a secret is not queued: the database would keep it")
  void secret() {
    works.with(Declared.mutate("vault").lock("prod").step("one", "true"));
    RunRequest request = new RunRequest("vault", Map.of("key", new Values.Given("hush-hush", Values.Given.Kind.STRING)),
        R1, null, new Run.Origin(new Actor("alice", Door.RUN), "{}"), RunRequest.Terms.PLAIN);

    assertThat(first.enqueue(request)).isInstanceOfSatisfying(SubmitOutcome.InvalidParams.class,
        why -> assertThat(why.problems()).singleElement().satisfies(problem -> {
          assertThat(problem.pointer()).isEqualTo("/params/key");
          assertThat(problem.message()).contains("secret").doesNotContain("hush-hush");
        }));
    assertThat(works.store.find(R1)).isEmpty();
    assertThat(notes.put).isEmpty();
  }

  @Test
  @DisplayName("A run that never came to its first step, however often it was tried, is given up as interrupted")
  void givenUp() {
    enqueued(Works.request("deploy", "r1"));
    first.giveUp(R1);
    assertThat(stored().status()).isEqualTo(RunStatus.INTERRUPTED);
    first.giveUp(R1);
    first.giveUp(new RequestId("none"));
  }
}
