package fleet.tower.execution;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

import fleet.tower.run.Run;

/** A run that can be watched, wherever it is executed. */
public interface Ticket {

  /** The run as it stands now. */
  Run run();

  /** Waits until something about the run has changed, its output included, since {@code seen} was the version of it. */
  void awaitChange(long seen);

  /** Makes those who wait for a change look, though there may be none. */
  default void wake() {}

  /** Grows with every change. */
  long version();

  /** When its lock was last renewed; nothing before, or when another process renews it. */
  Optional<Instant> lastHeartbeat();

  /** How many come before it, as it was last seen, while it waits for its lock; nothing where nobody knows. */
  default OptionalInt position() {
    return OptionalInt.empty();
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
