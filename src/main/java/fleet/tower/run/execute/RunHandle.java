package fleet.tower.run.execute;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.run.Run;

/** A run that can be watched, wherever it is executed. */
public interface RunHandle {

  /** The run as it stands now. */
  Run run();

  /** Waits until something about the run has changed, its output included, since {@code seen} was the version of it. */
  void awaitChange(long seen);

  /** Makes those who wait for a change look, though there may be none. */
  default void wake() {}

  /** Grows with every change. */
  long version();

  /** Whether another process executes it, or did. */
  default boolean isElsewhere() {
    return false;
  }

  /** When its lock was last renewed; nothing before, or when another process renews it. */
  Optional<Instant> lastHeartbeat();

  /** The last heartbeat of its lock, where that has failed; nothing when it succeeded, or when another process renews it. */
  default Optional<HeartbeatFailure> heartbeatFailure() {
    return Optional.empty();
  }

  /** A heartbeat of a run's lock that failed, for the {@code consecutiveFailures}th time in a row. */
  record HeartbeatFailure(Instant at, int consecutiveFailures, String error) {
    public HeartbeatFailure {
      requireNonNull(at);
      requireNonNull(error);
    }
  }

  /**
   * Beats with everything that proves that the run gets on: output, the start and the end of a step, beats from outside; and by
   * the clock, no more rarely than locks are renewed, while it waits and where its intent asks for no progress. What shall live as long
   * as the run is extended by these beats. Nothing when another process executes it.
   */
  default Optional<ProgressSignal> heartbeat() {
    return Optional.empty();
  }

  /** What it waits for; nothing when it does not wait, or when another process has it. */
  default Optional<Waiting> waiting() {
    return Optional.empty();
  }

  /** How many come before it, as it was last seen, while it waits for its lock; nothing where nobody knows. */
  default OptionalInt position() {
    Optional<Waiting> waiting = waiting();
    return waiting.isPresent() ? OptionalInt.of(waiting.get().position()) : OptionalInt.empty();
  }

  /**
   * How a run's wait for its lock goes on.
   *
   * @param obstacle what is in the way now
   * @param position how many others come before it; 0 for who is next
   */
  record Waiting(LeaseName lock, Decision.Obstacle obstacle, Duration waited, int position) {
    public Waiting {
      requireNonNull(lock);
      requireNonNull(obstacle);
      requireNonNull(waited);
    }
  }

  /** Waits until the run has finished. */
  default Run await() {
    for (;;) {
      long seen = version();
      Run run = run();
      if (run.status().isFinished()) {
        return run;
      }
      awaitChange(seen);
    }
  }
}
