package fleet.tower.platform.time;

import java.time.Duration;

/**
 * A look that is repeated while there is work that it is for. One timer serves all work: most is over before the next
 * look, and costs no timer of its own.
 */
public final class Watch {
  private final Scheduler scheduler;
  private final Duration between;
  private final Runnable look;
  private final Runnable idle;
  private int works;
  private boolean isWatching;

  /** @param idle called once there is no work any more */
  public Watch(Scheduler scheduler, Duration between, Runnable look, Runnable idle) {
    this.scheduler = scheduler;
    this.between = between;
    this.look = look;
    this.idle = idle;
  }

  /** There is one more piece of work. */
  public void begun() {
    boolean isFirst;
    synchronized (this) {
      works++;
      isFirst = !isWatching;
      isWatching = true;
    }
    if (isFirst) {
      schedule();
    }
  }

  /** There is one piece of work less. */
  public synchronized void ended() {
    works--;
  }

  /** The scheduler is never called under the monitor. */
  private void schedule() {
    Scheduler.Pending _ = scheduler.after(between, this::tick);
  }

  private void tick() {
    if (!goesOn()) {
      idle.run();
      return;
    }
    try {
      look.run();
    } finally {
      schedule();
    }
  }

  private synchronized boolean goesOn() {
    isWatching = works > 0;
    return isWatching;
  }
}
