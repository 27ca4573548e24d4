package fleet.tower.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.run.RunStore.Claim;
import fleet.tower.run.RunStore.Prior;
import fleet.tower.run.RunStore.Same;

/** The executor of a run: how it changes, and what happens to the run when it dies. */
abstract class RunOwnerContract {
  static final String HERE = "host:42:boot";

  /** The store of this test; it is empty at the beginning of each test. */
  protected abstract RunStore store();

  final Prior begin(String id) {
    return store().begin(Runs.claim(id), Runs.waiting(id), HERE);
  }

  final Prior begin(Claim claim) {
    return store().begin(claim, Runs.waiting(claim.requestId().value(), claim.actor(), Runs.NOON), HERE);
  }

  final Run found(String id) {
    return store().find(new RequestId(id)).orElseThrow();
  }

  @Test
  @DisplayName("In an interrupted run the running step is interrupted, later steps are skipped, and nothing is rolled back")
  void interrupts() {
    begin("r");
    Run running = Runs.running(Runs.waiting("r"));
    store().save(running, false);

    Optional<Run> interrupted = store().interrupt(new RequestId("r"), HERE, Runs.NOON.plusMillis(60_007),
        Runs.NOON.plusMillis(2_005));

    StepRecord build = running.progress().steps().getFirst();
    StepRecord cut = new StepRecord(build.name(), build.kind(), StepRecord.Status.INTERRUPTED, null, build.startedAt(),
        2_000, null);
    StepRecord skipped = new StepRecord("ship", StepRecord.Kind.STEP, StepRecord.Status.SKIPPED, null, null, 0, null);
    assertThat(interrupted).contains(Runs.with(running, RunStatus.INTERRUPTED, null,
        new Run.Progress(List.of(cut, skipped), List.of(), null, "interrupted"), Runs.NOON.plusMillis(60_007)));
    assertThat(store().find(new RequestId("r"))).isEqualTo(interrupted);
    assertThat(store().unfinished()).isEmpty();
    assertThat(begin(Runs.claim("r"))).isEqualTo(new Same(interrupted.orElseThrow()));
  }

  @Test
  @DisplayName("A run interrupted before its first step has nothing to roll back")
  void interruptsBeforeAnything() {
    begin("r");

    Run run = store().interrupt(new RequestId("r"), HERE, Runs.NOON).orElseThrow();

    assertThat(run.status()).isEqualTo(RunStatus.INTERRUPTED);
    assertThat(run.progress().rollbackSkipped()).isNull();
    assertThat(run.progress().steps()).extracting(StepRecord::status).containsOnly(StepRecord.Status.SKIPPED);
  }

  @Test
  @DisplayName("A run of another executor is not interrupted, nor is a finished one")
  void interruptsOnlyItsOwn() {
    begin("r");
    assertThat(store().interrupt(new RequestId("r"), "somebody else", Runs.NOON)).isEmpty();
    assertThat(found("r")).isEqualTo(Runs.waiting("r"));

    Run finished = Runs.succeeded(Runs.waiting("r"));
    store().save(finished, true);
    assertThat(store().interrupt(new RequestId("r"), HERE, Runs.NOON)).isEmpty();
    assertThat(found("r")).isEqualTo(finished);
  }

  @Test
  @DisplayName("Of many concurrent interruptions of a run exactly one succeeds")
  void interruptsOnce() {
    begin("r");

    List<Optional<Run>> outcomes = ConcurrentCalls.call(IntStream
        .range(0, 16).<ConcurrentCalls.Work<Optional<Run>>>mapToObj(
            _ -> () -> store().interrupt(new RequestId("r"), HERE, Runs.NOON))
        .toList());

    assertThat(outcomes).filteredOn(Optional::isPresent).singleElement().isEqualTo(Optional.of(found("r")));
  }

  @Test
  @DisplayName("A queued run is taken once, as it was before; so is the run of a named executor, until a step has begun")
  void taken() {
    store().begin(Runs.claim("r"), Runs.waiting("r"), RunStore.QUEUE);
    RequestId r = new RequestId("r");
    assertThat(store().take(r, HERE, "other")).isEmpty();
    List<Optional<Run>> outcomes = ConcurrentCalls.call(
        IntStream.range(0, 16).<ConcurrentCalls.Work<Optional<Run>>>mapToObj(
            i -> () -> store().take(r, RunStore.QUEUE, "executor-" + i)).toList());
    assertThat(outcomes).filteredOn(Optional::isPresent).singleElement().isEqualTo(Optional.of(Runs.waiting("r")));
    String owner = store().unfinished().getFirst().executor();

    store().save(found("r").withStatus(RunStatus.RUNNING).withWarning("odd"), false);
    assertThat(store().take(r, owner, HERE)).contains(Runs.waiting("r").withWarning("odd"));
    assertThat(found("r")).isEqualTo(Runs.waiting("r").withWarning("odd"));
    assertThat(store().unfinished()).containsExactly(new RunStore.Unfinished(r, HERE));

    store().save(Runs.running(Runs.waiting("r")), false);
    assertThat(store().take(r, HERE, "other")).isEmpty();
    store().save(Runs.succeeded(Runs.waiting("r")), true);
    assertThat(store().take(r, HERE, "other")).isEmpty();
    assertThat(store().take(new RequestId("none"), HERE, "other")).isEmpty();
  }
}
