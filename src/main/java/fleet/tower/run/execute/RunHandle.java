package fleet.tower.run.execute;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.run.Run;

/** A run that callers can watch, wherever it is executed. */
public interface RunHandle {

  /** The present state of the run. */
  Run run();

  /** Waits until the run or its output has changed since version {@code seen}. */
  void awaitChange(long seen);

  /**
   * Waits until the run has ended after version {@code seen}, or {@link #wake} was called; may return after any change.
   */
  default void awaitEnd(long seen) {
    awaitChange(seen);
  }

  /** Wakes all watchers, even without a change. */
  default void wake() {}

  /** A number that grows with every change. */
  long version();

  /** Whether another process executes or executed it. */
  default boolean isElsewhere() {
    return false;
  }

  /** The time of the last renewal of its lock; empty before the first. */
  Optional<Instant> lastHeartbeat();

  /** The last heartbeat of its lock, if that failed; empty if it succeeded, and if another process executes it. */
  default Optional<HeartbeatFailure> heartbeatFailure() {
    return Optional.empty();
  }

  /** A failed heartbeat of a run's lock, the {@code consecutiveFailures}th in a row. */
  record HeartbeatFailure(Instant at, int consecutiveFailures, String error) {}

  /**
   * The signal of the run's progress. It beats on output, on the start and the end of a step, and on heartbeats from
   * outside; while the run waits, and if its intent does not require progress, it also beats by the clock, at least as
   * often as locks are renewed. A lease that should last as long as the run is extended by these beats. Empty if
   * another process executes it.
   */
  default Optional<ProgressSignal> heartbeat() {
    return Optional.empty();
  }

  /** The time of its last known progress; empty if it has none. */
  default Optional<Instant> lastProgress() {
    return heartbeat().map(ProgressSignal::lastAt);
  }

  /** Its wait for a lock; empty if it does not wait. */
  default Optional<Waiting> waiting() {
    return Optional.empty();
  }

  /** The number of runs before it in the queue for its lock, as last seen; empty if it is not known. */
  default OptionalInt position() {
    return waiting().orElse(null) instanceof WaitingInLine line
        ? OptionalInt.of(line.position())
        : OptionalInt.empty();
  }

  /** The state of a run's wait. */
  sealed interface Waiting {}

  /**
   * The run waits for its own lock.
   *
   * @param obstacle the holder or freeze that it waits for
   * @param position the number of runs before it in the queue
   */
  record WaitingInLine(LeaseName lock, Decision.Obstacle obstacle, Duration waited, int position) implements Waiting {}

  /** The run waits for another tool's lock, and holds its own. */
  record WaitingForTool(ForeignLock.Refusal refusal, Duration waited) implements Waiting {}

  /** Waits until the run has finished. */
  default Run await() {
    for (;;) {
      long seen = version();
      Run run = run();
      if (run.status().isFinished()) {
        return run;
      }
      awaitEnd(seen);
    }
  }
}
