package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Locks;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.StorageException;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.QueuedRuns.TakeOutcome;
import fleet.tower.run.submit.Runs.PlanOutcome;

@DisplayName("A run whose request names a plan does what the plan shows, or nothing")
class PlannedRunsTest {
  private static final RequestId R1 = new RequestId("r1");
  private static final String BEADS = "beads:/srv/project/.beads";
  private static final LockTerms PATIENT = new LockTerms(false, Duration.ofMinutes(5));

  @AutoClose
  private final TestExecutor works;
  private final List<Run.Declaration> queued = new ArrayList<>();
  private final QueuedRuns queue;

  PlannedRunsTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
    works.with(intent("one"));
    works.processes.plan("one", new Processes.Exited(0));
    queue = works.runs.queued(new QueuedRuns.Backlog() {
      @Override
      public void put(RequestId requestId, Run.@Nullable Declaration declaration) {
        queued.add(Objects.requireNonNull(declaration));
      }

      @Override
      public long size() {
        return queued.size();
      }
    });
  }

  private static IntentBuilder intent(String step) {
    return IntentBuilder.mutate("deploy").lock("prod").exclusive(BEADS).step(step, "true");
  }

  private String hash(RunRequest request) {
    return switch (works.runs.plan(request)) {
      case PlanOutcome.Planned(Plan plan) -> plan.document().hash();
      case PlanOutcome.NotPlanned(SubmitOutcome.Refusal why) -> throw new AssertionError("not planned: " + why);
    };
  }

  /** The request, for a run that does what a run of it would do now. */
  private RunRequest planned(RunRequest request) {
    return request.requiring(PlanHash.parse(hash(request)));
  }

  private void free() {
    works.locks.release(new Actor("bob", Door.CLI), new LeaseName("prod"), Owner.ofAnyActor(new RequestId("bob-1")),
        FencingToken.NONE, Locks.Result.SUCCESS, null);
  }

  private void assertRefused(Run run, String... changed) {
    assertThat(run.status()).isEqualTo(RunStatus.REFUSED);
    assertThat(run.refusal()).isInstanceOfSatisfying(RunRefusal.PlanChanged.class,
        why -> assertThat(why.changed()).containsExactly(changed));
    assertThat(run.begun()).isEmpty();
    assertThat(works.processes.events()).isEmpty();
    assertThat(works.isLocked("prod")).isFalse();
    assertThat(works.foreigners.verdicts).isEmpty();
    assertThat(works.store.find(R1)).contains(run);
  }

  @Test
  @DisplayName("If the intent changes while the run waits for its lock, the run is refused under the lock")
  void changedInLine() {
    works.hold("prod", "bob-1");
    RunHandle waiting = works.accepted(planned(TestExecutor.request("deploy", "r1", PATIENT)));
    works.awaitWaiter("prod");
    works.with(intent("two"));
    free();

    assertRefused(waiting.await(), "digest", "steps");
    assertThat(works.audit.events()).noneMatch(AuditEvent.RunStarted.class::isInstance)
        .anyMatch(AuditEvent.LockReleased.class::isInstance);
  }

  @Test
  @DisplayName("If the intent has changed since it was planned, the request is refused with what changed; a hash that "
      + "was never shown is refused without")
  void changedBefore() {
    RunRequest planned = planned(TestExecutor.request("deploy", "r1"));
    works.with(intent("two"));

    assertThat(changed(planned)).containsExactly("digest", "steps");
    assertThat(changed(planned.requiring(PlanHash.parse("0".repeat(12))))).isEmpty();
    assertThat(works.store.find(R1)).isEmpty();
    assertThat(works.processes.events()).isEmpty();
  }

  @Test
  @DisplayName("The latest thousand plans are remembered")
  void forgotten() {
    RunRequest first = planned(TestExecutor.request("deploy", "r1"));
    for (int version = 0; version < 999; version++) {
      works.with(intent("v" + version));
      hash(TestExecutor.request("deploy", "r1"));
    }
    assertThat(changed(first)).isNotEmpty();

    works.with(intent("last"));
    hash(TestExecutor.request("deploy", "r1"));
    assertThat(changed(first)).isEmpty();
  }

  private List<String> changed(RunRequest request) {
    return works.runs.submit(request) instanceof SubmitOutcome.PlanChanged(RunRefusal.PlanChanged change)
        ? change.changed()
        : List.of("nothing was refused");
  }

  @Test
  @DisplayName("If nothing changes, it runs after its wait")
  void unchanged() {
    works.hold("prod", "bob-1");
    RunHandle waiting = works.accepted(planned(TestExecutor.request("deploy", "r1", PATIENT)));
    works.awaitWaiter("prod");
    free();

    assertThat(waiting.await().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("If the intent changes between the request and its locks, the run is recorded as refused; the same id "
      + "with the new plan runs")
  void changedAtLast() {
    RunRequest request = TestExecutor.request("deploy", "r1");
    works.foreigners.beforeHold.put(BEADS, () -> works.with(intent("two")));

    assertRefused(works.accepted(planned(request)).await(), "digest", "steps");

    works.foreigners.beforeHold.clear();
    works.processes.plan("two", new Processes.Exited(0));
    assertThat(works.accepted(planned(request)).await().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("If the intent is removed meanwhile, the run is refused")
  void removed() {
    works.foreigners.beforeHold.put(BEADS, works.intents::clear);

    assertRefused(works.accepted(planned(TestExecutor.request("deploy", "r1"))).await(), "intent");
  }

  @Test
  @DisplayName("If the plan cannot be compared, no step runs, and the locks are released")
  void incomparable() {
    works.foreigners.beforeHold.put(BEADS, () -> works.onReread = () -> {
      throw new StorageException("no disk");
    });

    assertThat(works.runs.submit(planned(TestExecutor.request("deploy", "r1"))))
        .isEqualTo(new SubmitOutcome.Unavailable(ErrorCode.STORAGE_UNAVAILABLE, "no disk"));

    assertThat(works.processes.events()).isEmpty();
    assertThat(works.isLocked("prod")).isFalse();
  }

  @Test
  @DisplayName("A queued run keeps its plan")
  void inTheQueue() {
    RunRequest request = TestExecutor.request("deploy", "r1");
    assertThat(queue.enqueue(planned(request))).isInstanceOf(SubmitOutcome.Accepted.class);

    assertThat(queued).hasSize(1).allMatch(declaration -> declaration.plan() != null);
    assertThat(PlanHash.parse(hash(request)).isOf(PlanDocument.parse(String.valueOf(queued.getFirst().plan()))))
        .isTrue();
    assertThat(queue.take(R1)).isInstanceOfSatisfying(TakeOutcome.Taken.class,
        taken -> assertThat(taken.end().getAsBoolean()).isTrue());
    assertThat(works.store.find(R1).orElseThrow().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A queued run whose intent changes is refused, also if it changes after an executor has taken the run")
  void changedInTheQueue(boolean isTaken) {
    assertThat(queue.enqueue(planned(TestExecutor.request("deploy", "r1")))).isInstanceOf(SubmitOutcome.Accepted.class);
    if (isTaken) {
      works.foreigners.beforeHold.put(BEADS, () -> works.with(intent("two")));
    } else {
      works.with(intent("two"));
    }

    if (queue.take(R1) instanceof TakeOutcome.Taken taken) {
      assertThat(taken.end().getAsBoolean()).isTrue();
    }

    assertRefused(works.store.find(R1).orElseThrow(), "digest", "steps");
  }
}
