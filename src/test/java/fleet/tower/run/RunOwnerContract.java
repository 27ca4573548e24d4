package fleet.tower.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignName;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.run.RunRequests.Kind;
import fleet.tower.run.RunRequests.Pending;
import fleet.tower.run.RunStore.Prior;
import fleet.tower.run.RunStore.RequestKey;
import fleet.tower.run.RunStore.Same;

/** The executor of a run: how it changes, and what happens to the run when it dies. */
abstract class RunOwnerContract {
  static final String HERE = "host:42:boot";
  private static final Actor BOB = new Actor("bob", "ann \"the\" boss", Door.HTTP);

  /** The store of this test; it is empty at the beginning of each test. */
  protected abstract RunStore store();

  final Prior begin(String id) {
    return store().begin(Runs.claim(id), Runs.waiting(id), HERE);
  }

  final Prior begin(RequestKey claim) {
    return store().begin(claim, Runs.waiting(claim.requestId().value(), claim.actor(), Runs.NOON), HERE);
  }

  final Run found(String id) {
    return store().find(new RequestId(id)).orElseThrow();
  }

  @Test
  @DisplayName("In an interrupted run the running step is interrupted and keeps its tries, later steps are skipped, and "
      + "nothing is rolled back")
  void interrupts() {
    begin("r");
    StepRecord.Try failed = new StepRecord.Try(StepRecord.Status.FAILED, 3, 40, null);
    Run running = Runs.running(Runs.waiting("r"))
        .withProgress(it -> it.withEach(step -> step.hasBegun() ? step.tried(failed) : step));
    store().save(running, false);

    Optional<Run> interrupted = store().interrupt(new RequestId("r"), HERE, Runs.NOON.plusMillis(60_007),
        Runs.NOON.plusMillis(2_005));

    StepRecord build = running.progress().steps().getFirst();
    StepRecord cut = new StepRecord(build.name(), build.kind(), StepRecord.Status.INTERRUPTED, null, build.startedAt(),
        2_000, null, null).tried(failed);
    StepRecord skipped = new StepRecord("ship", StepRecord.Kind.STEP, StepRecord.Status.SKIPPED, null, null, 0, null,
        null);
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
  @DisplayName("A run that was interrupted while it waited is replaced by the same request; after its wait it is kept")
  void interruptsWaiting() {
    begin("r");
    Run interrupted = store().interrupt(new RequestId("r"), HERE, Runs.NOON).orElseThrow();

    assertThat(store().look(Runs.claim("r"))).isEqualTo(new RunStore.Unstarted(interrupted));
    assertThat(begin("r")).isEqualTo(new RunStore.New());
    assertThat(found("r")).isEqualTo(Runs.waiting("r"));

    assertThat(store().start(Runs.waiting("r").withStatus(RunStatus.RUNNING), HERE)).isTrue();
    Run kept = store().interrupt(new RequestId("r"), HERE, Runs.NOON).orElseThrow();
    assertThat(store().look(Runs.claim("r"))).isEqualTo(new Same(kept));
    assertThat(begin("r")).isEqualTo(new Same(kept));
  }

  @Test
  @DisplayName("Only the executor of a run records what it waits for")
  void waits() {
    begin("r");
    Run waiting = Runs.waiting("r").waitingFor(new Run.ForeignWait(new ForeignLock.Refusal(
        ForeignName.parse("terraform:/infra"), new ForeignLockState.Held(
            new ForeignLockState.Occupant("apply", 7, "dev-1", Instant.EPOCH))),
        Runs.NOON));

    assertThat(store().saveWait(waiting, "another")).isFalse();
    assertThat(found("r")).isEqualTo(Runs.waiting("r"));
    assertThat(store().saveWait(waiting, HERE)).isTrue();
    assertThat(found("r")).isEqualTo(waiting);
    assertThat(store().start(waiting.withStatus(RunStatus.RUNNING), HERE)).isTrue();
    assertThat(found("r").foreignWait()).isNull();
  }

  @Test
  @DisplayName("A request belongs to the executor of its run, is recorded once, and ends with the run, however it ends")
  void requests() {
    List<String> endings = List.of("saved", "interrupted", "forgotten", "discarded");
    Pending cancel = new Pending(new RequestId("saved"), Kind.CANCEL);
    Pending beat = new Pending(new RequestId("saved"), Kind.BEAT);
    endings.forEach(this::begin);
    for (String id : endings) {
      assertThat(store().requests().put(new RequestId(id), HERE, Kind.CANCEL, BOB)).isTrue();
    }
    assertThat(store().requests().put(cancel.run(), HERE, Kind.CANCEL, BOB)).isTrue();
    assertThat(store().requests().put(beat.run(), HERE, Kind.BEAT, BOB)).isTrue();
    assertThat(store().requests().put(new RequestId("saved"), "another", Kind.CANCEL, BOB)).isFalse();
    assertThat(store().requests().put(new RequestId("nobody"), HERE, Kind.CANCEL, BOB)).isFalse();
    assertThat(store().requests().of(HERE)).hasSize(5).contains(cancel, beat);
    assertThat(store().requests().of("another")).isEmpty();
    store().requests().remove(beat);
    assertThat(store().requests().of(HERE)).hasSize(4).doesNotContain(beat);

    store().save(found("saved").finished(RunStatus.CANCELLED, Runs.NOON), true);
    store().interrupt(new RequestId("interrupted"), HERE, Runs.NOON);
    store().forget(new RequestId("forgotten"));
    store().save(found("discarded").finished(RunStatus.CANCELLED, Runs.NOON), false);
    store().discard(new RequestId("discarded"), Runs.NOON.plusMillis(1));

    assertThat(store().requests().of(HERE)).isEmpty();
    assertThat(store().requests().put(cancel.run(), HERE, Kind.CANCEL, BOB)).as("it has finished").isFalse();
    for (String id : List.of("interrupted", "forgotten", "discarded")) {
      assertThat(begin(id)).as("its id is free again").isEqualTo(new RunStore.New());
    }
    assertThat(store().requests().of(HERE)).as("nothing is left for another run with the id").isEmpty();
  }

  @Test
  @DisplayName("A run with a request to cancel it does not return to the queue; its next executor has the request")
  void requestsMove() {
    RequestId r = new RequestId("r");
    begin("r");
    assertThat(store().take(r, HERE, "other", "tower-02")).contains(Runs.waiting("r").onHost("tower-02"));
    assertThat(store().requests().put(r, "other", Kind.BEAT, BOB)).isTrue();
    assertThat(store().take(r, "other", RunStore.QUEUE)).contains(Runs.waiting("r"));
    assertThat(store().take(r, RunStore.QUEUE, "other", "tower-02")).isPresent();
    assertThat(store().requests().put(r, "other", Kind.CANCEL, BOB)).isTrue();

    assertThat(store().take(r, "other", RunStore.QUEUE)).isEmpty();
    assertThat(store().take(r, "other", HERE)).isPresent();
    assertThat(store().requests().of("other")).isEmpty();
    assertThat(store().requests().of(HERE)).containsExactlyInAnyOrder(new Pending(r, Kind.BEAT),
        new Pending(r, Kind.CANCEL));
  }

  @Test
  @DisplayName("Either a request or the end of its run comes first: no request outlives its run")
  void requestsRaceWithEnds() {
    for (int i = 0; i < 20; i++) {
      RequestId id = new RequestId("r" + i);
      begin(id.value());
      Run ended = found(id.value()).finished(RunStatus.SUCCEEDED, Runs.NOON);

      List<Boolean> outcomes = ConcurrentCalls.call(List.of(
          () -> store().requests().put(id, HERE, Kind.CANCEL, BOB),
          () -> {
            store().save(ended, true);
            return true;
          }));

      assertThat(outcomes).hasSize(2);
      store().forget(id);
      begin(id.value());
      assertThat(store().requests().of(HERE)).as("round %d", i).isEmpty();
      store().save(ended, false);
    }
  }

  @Test
  @DisplayName("A run is started only by its executor, and not after it has ended")
  void startsOnlyItsOwn() {
    begin("r");
    Run running = Runs.waiting("r").withStatus(RunStatus.RUNNING).onHost("tower-01");
    assertThat(store().start(running, "another")).isFalse();
    assertThat(found("r")).isEqualTo(Runs.waiting("r"));

    assertThat(store().start(running, HERE)).isTrue();
    assertThat(found("r")).isEqualTo(running);

    store().interrupt(new RequestId("r"), HERE, Runs.NOON);
    assertThat(store().start(running, HERE)).isFalse();
    assertThat(found("r").status()).isEqualTo(RunStatus.INTERRUPTED);
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
  @DisplayName("A queued run is taken once, unchanged; so is the run of a named executor, until its wait has ended")
  void taken() {
    store().begin(Runs.claim("r"), Runs.waiting("r"), RunStore.QUEUE);
    RequestId r = new RequestId("r");
    assertThat(store().take(r, HERE, "other")).isEmpty();
    List<Optional<Run>> outcomes = ConcurrentCalls.call(
        IntStream.range(0, 16).<ConcurrentCalls.Work<Optional<Run>>>mapToObj(
            i -> () -> store().take(r, RunStore.QUEUE, "executor-" + i)).toList());
    assertThat(outcomes).filteredOn(Optional::isPresent).singleElement().isEqualTo(Optional.of(Runs.waiting("r")));
    String owner = store().unfinished().getFirst().executor();

    store().save(found("r").withWarning("odd"), false);
    assertThat(store().take(r, owner, HERE)).contains(Runs.waiting("r").withWarning("odd"));
    assertThat(found("r")).isEqualTo(Runs.waiting("r").withWarning("odd"));
    assertThat(store().unfinished()).containsExactly(new RunStore.Unfinished(r, HERE));

    store().save(found("r").withStatus(RunStatus.RUNNING), false);
    assertThat(store().take(r, HERE, "other")).as("a step may have begun").isEmpty();
    assertThat(store().take(r, HERE, HERE)).contains(Runs.waiting("r").withWarning("odd"));
    store().save(Runs.running(Runs.waiting("r")), false);
    assertThat(store().take(r, HERE, "other")).isEmpty();
    store().save(Runs.succeeded(Runs.waiting("r")), true);
    assertThat(store().take(r, HERE, "other")).isEmpty();
    assertThat(store().take(new RequestId("none"), HERE, "other")).isEmpty();
  }
}
