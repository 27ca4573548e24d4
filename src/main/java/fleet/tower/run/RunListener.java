package fleet.tower.run;

import org.jspecify.annotations.Nullable;

/**
 * Receives the beginnings, ends and replays of runs, on the thread where they happen. It returns at once and throws
 * nothing.
 */
public interface RunListener {
  RunListener NONE = new RunListener() {};

  /** This process recorded a new run, or took one from the queue. */
  default void begun(Run run) {}

  /** A run ended, even if its end could not be recorded. */
  default void ended(Run run) {}

  /** A request was repeated, and answered with this run. */
  default void replayed(Run run) {}

  /**
   * A schedule of this process was checked.
   *
   * @param blocked how often in a row it was skipped for a cause that does not end without intervention, such as a
   *     stale lock
   * @param isDrifted whether its desired state does not hold; null if it has none
   */
  default void scheduled(String intent, int blocked, @Nullable Boolean isDrifted) {}

  /** Both listeners, this one first. */
  default RunListener and(RunListener next) {
    RunListener first = this;
    return new RunListener() {
      @Override
      public void begun(Run run) {
        first.begun(run);
        next.begun(run);
      }

      @Override
      public void ended(Run run) {
        first.ended(run);
        next.ended(run);
      }

      @Override
      public void replayed(Run run) {
        first.replayed(run);
        next.replayed(run);
      }

      @Override
      public void scheduled(String intent, int blocked, @Nullable Boolean isDrifted) {
        first.scheduled(intent, blocked, isDrifted);
        next.scheduled(intent, blocked, isDrifted);
      }
    };
  }
}
