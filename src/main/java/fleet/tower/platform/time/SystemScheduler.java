package fleet.tower.platform.time;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A scheduler with one daemon thread for timers; work runs on {@link Workers}.
 *
 * <p>A timer fires at the last full tick before it is due. Ten thousand heartbeats in half a minute then cause 300
 * wake-ups instead of 10,000; on a virtual machine a wake-up costs a third of a heartbeat.
 */
final class SystemScheduler implements Scheduler {
  private static final long LONGEST_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int TICKS_IN_A_DELAY = 64;

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
    Future<?> timer = Timer.THREAD.schedule(() -> Timer.WORKERS.execute(work), untilTick(delay), TimeUnit.NANOSECONDS);
    return () -> timer.cancel(false);
  }

  @Override
  public Pending alarm(Duration delay, Runnable work) {
    Future<?> timer = Timer.THREAD.schedule(work, delay.toNanos(), TimeUnit.NANOSECONDS);
    return () -> timer.cancel(false);
  }

  private static long untilTick(Duration delay) {
    long now = System.nanoTime();
    long tick = Math.clamp(delay.toNanos() / TICKS_IN_A_DELAY, 1, LONGEST_TICK_NANOS);
    long due = now + delay.toNanos();
    return due - Math.floorMod(due, tick) - now;
  }

  /** Started with the first timer, so that a short command without timers needs no thread. */
  private static final class Timer {
    static final ScheduledThreadPoolExecutor THREAD = new ScheduledThreadPoolExecutor(1, task -> {
      Thread thread = new Thread(task, "tower-timer");
      thread.setDaemon(true);
      return thread;
    });
    static final Workers WORKERS = new Workers(Timer::watch);

    static {
      THREAD.setRemoveOnCancelPolicy(true);
    }

    private Timer() {}

    private static void watch(Duration delay, Runnable check) {
      Future<?> _ = THREAD.schedule(check, delay.toNanos(), TimeUnit.NANOSECONDS);
    }
  }
}
