package fleet.tower.platform.time;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

import org.jspecify.annotations.Nullable;

/** Time that a test controls: the wall clock can be stepped alone; all other clocks advance together. */
public final class ManualTime implements TimeSource, Scheduler {
  private Instant now;
  private long nanos = 1_000_000_000_000L;
  private @Nullable String bootId = "boot-1";
  private final PriorityQueue<Timer> timers = new PriorityQueue<>(
      Comparator.comparingLong(Timer::dueNanos).thenComparingLong(Timer::number));
  private long timersMade;

  public ManualTime(String now) {
    this.now = Instant.parse(now);
  }

  public ManualTime() {
    this("2026-01-01T00:00:00Z");
  }

  private record Timer(long dueNanos, long number, Runnable work, boolean isAlarm) {}

  /** Advances every clock and runs the work that becomes due. */
  public synchronized void advance(Duration duration) {
    long end = nanos + duration.toNanos();
    while (!timers.isEmpty() && timers.peek().dueNanos() <= end) {
      Timer next = timers.remove();
      pass(Math.max(0, next.dueNanos() - nanos));
      next.work().run();
    }
    pass(end - nanos);
  }

  /** Steps the wall clock alone, like NTP or an operator. */
  public synchronized void stepWallClock(Duration by) {
    now = now.plus(by);
  }

  /** Simulates another boot: the clock since boot restarts. */
  public synchronized void reboot(String newBootId) {
    bootId = newBootId;
    timers.clear();
    nanos = 0;
  }

  /** Simulates a system without a boot clock. */
  public synchronized void hideBootClock() {
    bootId = null;
  }

  /** The delays of pending timers from now; alarms do not count. */
  public synchronized List<Duration> pendingDelays() {
    return new ArrayList<>(
        timers.stream().filter(timer -> !timer.isAlarm()).map(Timer::dueNanos).sorted()
            .map(due -> Duration.ofNanos(due - nanos)).toList());
  }

  @Override
  public synchronized Instant now() {
    return now;
  }

  @Override
  public synchronized long nanos() {
    return nanos;
  }

  @Override
  public synchronized @Nullable BootStamp boot() {
    return bootId == null ? null : new BootStamp(bootId, nanos / 1_000_000);
  }

  @Override
  public void pause(Duration duration) {
    advance(duration);
  }

  @Override
  public synchronized Pending after(Duration delay, Runnable work) {
    return after(delay, work, false);
  }

  @Override
  public synchronized Pending alarm(Duration delay, Runnable work) {
    return after(delay, work, true);
  }

  private Pending after(Duration delay, Runnable work, boolean isAlarm) {
    Timer timer = new Timer(nanos + delay.toNanos(), timersMade++, work, isAlarm);
    timers.add(timer);
    return () -> cancel(timer);
  }

  private synchronized void cancel(Timer timer) {
    timers.remove(timer);
  }

  private void pass(long passedNanos) {
    nanos += passedNanos;
    now = now.plusNanos(passedNanos);
  }
}
