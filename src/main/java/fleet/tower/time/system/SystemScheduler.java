package fleet.tower.time.system;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import fleet.tower.time.Scheduler;

/** One daemon thread that only fires; each piece of work gets a virtual thread. */
final class SystemScheduler implements Scheduler {

  @Override
  public void pause(Duration duration) {
    long end = System.nanoTime() + duration.toNanos();
    boolean interrupted = false;
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Pending after(Duration delay, Runnable work) {
    Future<?> timer = Timer.THREAD.schedule(() -> Thread.startVirtualThread(work), delay.toNanos(),
        TimeUnit.NANOSECONDS);
    return () -> timer.cancel(false);
  }

  /** Started with the first timer, so that a short command which sets none pays for no thread. */
  private static final class Timer {
    static final ScheduledThreadPoolExecutor THREAD = new ScheduledThreadPoolExecutor(1, task -> {
      Thread thread = new Thread(task, "tower-timer");
      thread.setDaemon(true);
      return thread;
    });

    static {
      THREAD.setRemoveOnCancelPolicy(true);
    }

    private Timer() {}
  }
}
