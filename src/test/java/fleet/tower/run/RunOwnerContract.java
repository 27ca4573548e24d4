package fleet.tower.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.Together;
import fleet.tower.run.RunStore.Claim;
import fleet.tower.run.RunStore.Prior;
import fleet.tower.run.RunStore.Same;

/** Who has a run, how it comes to another executor, and what is left of it when its executor has died. */
abstract class RunOwnerContract {
  static final String HERE = "host:42:boot";

  /** The store of this test; each test has an empty place of its own. */
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
  @DisplayName("An interrupted run: what was running is interrupted, what had not begun is skipped, nothing was undone")
  void interrupts() {
    begin("r");
    Run running = Runs.running(Runs.waiting("r"));
    store().save(running, false);

    Optional<Run> interrupted = store().interrupt(new RequestId("r"), HERE, Runs.NOON.plusMillis(60_007));

    StepRecord build = running.progress().steps().getFirst();
    StepRecord cut = new StepRecord(build.name(), build.kind(), StepRecord.Status.INTERRUPTED, null, build.startedAt(),
        0, null);
    StepRecord skipped = new StepRecord("ship", StepRecord.Kind.STEP, StepRecord.Status.SKIPPED, null, null, 0, null);
    assertThat(interrupted).contains(Runs.with(running, RunStatus.INTERRUPTED, null,
        new Run.Progress(List.of(cut, skipped), List.of(), null, "interrupted"), Runs.NOON.plusMillis(60_007)));
    assertThat(store().find(new RequestId("r"))).isEqualTo(interrupted);
    assertThat(store().unfinished()).isEmpty();
    assertThat(begin(Runs.claim("r"))).isEqualTo(new Same(interrupted.orElseThrow()));
  }

  @Test
  @DisplayName("A run interrupted before anything began has nothing that could be undone")
  void interruptsBeforeAnything() {
    begin("r");

    Run run = store().interrupt(new RequestId("r"), HERE, Runs.NOON).orElseThrow();

    assertThat(run.status()).isEqualTo(RunStatus.INTERRUPTED);
    assertThat(run.progress().rollbackSkipped()).isNull();
    assertThat(run.progress().steps()).extracting(StepRecord::status).containsOnly(StepRecord.Status.SKIPPED);
  }

  @Test
  @DisplayName("Neither a run of somebody else is interrupted, nor one that has finished")
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
  @DisplayName("Of many who interrupt one run exactly one does")
  void interruptsOnce() {
    begin("r");

    List<Optional<Run>> outcomes = Together.call(IntStream
        .range(0, 16).<Together.Work<Optional<Run>>>mapToObj(
            _ -> () -> store().interrupt(new RequestId("r"), HERE, Runs.NOON))
        .toList());

    assertThat(outcomes).filteredOn(Optional::isPresent).singleElement().isEqualTo(Optional.of(found("r")));
  }

  @Test
  @DisplayName("A run that nobody has is taken once, as if untouched; so is one whose executor is named, until a step began")
  void taken() {
    store().begin(Runs.claim("r"), Runs.waiting("r"), RunStore.QUEUE);
    RequestId r = new RequestId("r");
    assertThat(store().take(r, HERE, "other")).isEmpty();
    List<Optional<Run>> outcomes = Together.call(IntStream.range(0, 16).<Together.Work<Optional<Run>>>mapToObj(
        i -> () -> store().take(r, RunStore.QUEUE, "executor-" + i)).toList());
    assertThat(outcomes).filteredOn(Optional::isPresent).singleElement().isEqualTo(Optional.of(Runs.waiting("r")));
    String owner = store().unfinished().getFirst().executor();

    store().save(found("r").at(RunStatus.RUNNING).warned("odd"), false);
    assertThat(store().take(r, owner, HERE)).contains(Runs.waiting("r").warned("odd"));
    assertThat(found("r")).isEqualTo(Runs.waiting("r").warned("odd"));
    assertThat(store().unfinished()).containsExactly(new RunStore.Unfinished(r, HERE));

    store().save(Runs.running(Runs.waiting("r")), false);
    assertThat(store().take(r, HERE, "other")).isEmpty();
    store().save(Runs.succeeded(Runs.waiting("r")), true);
    assertThat(store().take(r, HERE, "other")).isEmpty();
    assertThat(store().take(new RequestId("none"), HERE, "other")).isEmpty();
  }
}
