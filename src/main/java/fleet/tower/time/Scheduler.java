package fleet.tower.time;

import java.time.Duration;

/** Waiting, and doing something later. */
public interface Scheduler {

  /** Waits for about {@code duration}. An interrupt does not end the wait; it is kept for the caller to see. */
  void pause(Duration duration);

  /**
   * Runs {@code work} once after {@code delay}, on a thread of its own which nobody else interrupts, so that slow work
   * delays no other.
   */
  Pending after(Duration delay, Runnable work);

  /** Work that was asked for and may not have begun. */
  interface Pending {
    /** Makes sure that the work does not begin any more; work that has begun goes on. */
    void cancel();
  }
}
