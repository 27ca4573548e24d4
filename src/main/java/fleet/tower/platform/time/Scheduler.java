package fleet.tower.platform.time;

import java.time.Duration;

/** Waiting, and doing something later. */
public interface Scheduler {

  /** Waits for about {@code duration}. An interrupt does not end the wait; it is kept for the caller to see. */
  void pause(Duration duration);

  /**
   * Runs {@code work} once after about {@code delay}: a little early, so that what is due at about the same time shares one
   * wake-up. It runs on a thread that nobody else interrupts. Work that is slow delays other work by moments only.
   */
  Pending after(Duration delay, Runnable work);

  /** The same for work that must not come late: it is done in time however much other work is stuck, and waits for nothing itself. */
  default Pending alarm(Duration delay, Runnable work) {
    return after(delay, work);
  }

  /** Work that was asked for and may not have begun. */
  interface Pending {
    /** Makes sure that the work does not begin any more; work that has begun goes on. */
    void cancel();
  }
}
