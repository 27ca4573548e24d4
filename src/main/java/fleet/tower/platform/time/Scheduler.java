package fleet.tower.platform.time;

import java.time.Duration;

/** Pauses threads and runs work after a delay. */
public interface Scheduler {

  /** Pauses for about {@code duration}. An interrupt does not end the pause; the interrupt status is kept. */
  void pause(Duration duration);

  /**
   * Runs {@code work} once after about {@code delay}: a little early, so that work due at about the same time shares
   * a wake-up. The thread is never interrupted by others. Slow work delays other work only briefly.
   */
  Pending after(Duration delay, Runnable work);

  /** Runs work that must not be late and must not block: it is punctual even while other work is stuck. */
  default Pending alarm(Duration delay, Runnable work) {
    return after(delay, work);
  }

  /** Scheduled work that may not have started. */
  interface Pending {
    /** Prevents the work from starting; work that has started continues. */
    void cancel();
  }
}
