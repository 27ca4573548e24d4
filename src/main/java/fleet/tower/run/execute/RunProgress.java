package fleet.tower.run.execute;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.OutsideBeats;

/**
 * The evidence that one run makes progress, merged into the beats of one {@link ProgressSignal}.
 *
 * <ul>
 * <li><b>Boundaries</b>, such as the start of a step, are beats at once.
 * <li><b>Output</b> is one beat for all that is printed within a tenth of a second, complete lines or not. The beat is
 * not on the thread that reads the output: its listeners may query a database, and no step should wait for that.
 * <li><b>Heartbeats from outside</b> are checked whenever a renewal depends on them, and otherwise once per interval.
 * <li><b>The clock</b> beats once per interval as long as a live process is evidence enough: while the run waits, also
 * between two tries of a step, and while it works unless its intent requires more.
 * </ul>
 *
 * A lease that should last as long as the run listens to this signal, whatever the intent requires.
 */
final class RunProgress implements AutoCloseable {
  private static final Duration OUTPUT_GATHERED = Duration.ofMillis(100);

  private final ProgressSignal signal;
  private final Scheduler scheduler;
  private final Duration interval;
  private final AtomicBoolean printed = new AtomicBoolean();
  private boolean byClock = true;
  private boolean isPaused;
  private boolean closed;
  private OutsideBeats.@Nullable Receiver outside;
  private Scheduler.@Nullable Pending next;

  RunProgress(TimeSource time, Scheduler scheduler, Duration interval) {
    this.signal = new ProgressSignal(time);
    this.scheduler = scheduler;
    this.interval = interval;
  }

  ProgressSignal signal() {
    return signal;
  }

  /** Beats by the clock from now on. */
  void start() {
    schedule();
  }

  /**
   * Beats only when the work makes progress, and no longer by the clock.
   *
   * @param from receives heartbeats from outside; null if none can arrive
   */
  synchronized void requireWork(OutsideBeats.@Nullable Receiver from) {
    byClock = false;
    outside = from;
  }

  /** Beats by the clock, too, while the work pauses between two tries. */
  synchronized void pause(boolean pauses) {
    isPaused = pauses;
  }

  /** The work has made progress. */
  void beat() {
    if (!isClosed()) {
      signal.beat();
    }
  }

  /** Records a heartbeat from outside; false if the run does not need it. */
  boolean beatFromOutside() {
    boolean isWanted;
    synchronized (this) {
      isWanted = !byClock && !closed;
    }
    if (isWanted) {
      beat();
    }
    return isWanted;
  }

  /** A step has printed something; this is cheap, however often it is called. */
  void printed() {
    if (!printed.get() && printed.compareAndSet(false, true)) {
      scheduler.after(OUTPUT_GATHERED, this::collectOutput);
    }
  }

  private void collectOutput() {
    if (printed.getAndSet(false)) {
      beat();
    }
  }

  /** Beats if there was output or a heartbeat from outside since the last beat. */
  private void collect() {
    boolean hasArrived;
    synchronized (this) {
      hasArrived = !closed && outside != null && outside.hasArrived();
    }
    if (printed.getAndSet(false) || hasArrived) {
      beat();
    }
  }

  /** A renewal that renews only if the run has made progress since the last time. */
  Renewal proving(Renewal renewal) {
    Renewal proving = signal.proving(renewal);
    return new Renewal() {
      @Override
      public Result renew() {
        collect();
        return proving.renew();
      }

      @Override
      public Optional<Lost> look() {
        return proving.look();
      }
    };
  }

  /** The file that a step writes to for a heartbeat; empty if there is none. */
  synchronized Optional<String> path() {
    return Optional.ofNullable(outside).map(OutsideBeats.Receiver::path);
  }

  private void tick() {
    boolean isDue;
    synchronized (this) {
      isDue = byClock || isPaused;
    }
    if (isDue) {
      beat();
    } else {
      collect();
    }
    schedule();
  }

  /**
   * Calls the scheduler without holding this monitor, because the scheduler may hold its own lock while it calls back.
   */
  private void schedule() {
    Scheduler.Pending made = scheduler.after(interval, this::tick);
    synchronized (this) {
      if (!closed) {
        next = made;
        return;
      }
    }
    made.cancel();
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    Scheduler.Pending pending;
    synchronized (this) {
      closed = true;
      pending = next;
      if (outside != null) {
        outside.close();
      }
    }
    if (pending != null) {
      pending.cancel();
    }
  }
}
