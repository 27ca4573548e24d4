package fleet.tower.run.execute;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.OutsideBeats;

/**
 * Gathers everything that proves that one run gets on into the beats of its heartbeat.
 *
 * <ul>
 * <li><b>Boundaries</b>, such as the start of a step, are beats at once.
 * <li><b>Output</b> is one beat for all that is printed within a tenth of a second, whole lines or not, and not on the thread that
 * reads it: who lives on the beats may ask a database, and no step shall wait for that.
 * <li><b>Beats from outside</b> are looked for whenever a renewal depends on them, and in between once in an interval.
 * <li><b>The clock</b> beats once in an interval while it is enough that this process lives: while the run waits, and while it
 * works unless its intent asks for more.
 * </ul>
 *
 * So whoever wants something to live as long as the run listens to its heartbeat, and need not know its intent.
 */
public final class RunProgress implements AutoCloseable {
  private static final Duration OUTPUT_GATHERED = Duration.ofMillis(100);

  private final ProgressSignal heartbeat;
  private final Scheduler scheduler;
  private final Duration interval;
  private final AtomicBoolean printed = new AtomicBoolean();
  private boolean byClock = true;
  private boolean closed;
  private OutsideBeats.@Nullable Taking outside;
  private Scheduler.@Nullable Pending next;

  public RunProgress(ProgressSignal heartbeat, Scheduler scheduler, Duration interval) {
    this.heartbeat = requireNonNull(heartbeat);
    this.scheduler = requireNonNull(scheduler);
    this.interval = requireNonNull(interval);
  }

  /** Beats by the clock from now on. */
  public void start() {
    schedule();
  }

  /**
   * Beats by the clock no longer, but only when the work gets on.
   *
   * @param from where beats come from outside; null where none can
   */
  synchronized void proveWork(OutsideBeats.@Nullable Taking from) {
    byClock = false;
    outside = from;
  }

  /** The work has got on. */
  public void beat() {
    if (!isClosed()) {
      heartbeat.beat();
    }
  }

  /** Somebody says that the work has got on; whether that is of any use. */
  public boolean beatFromOutside() {
    boolean isWanted;
    synchronized (this) {
      isWanted = !byClock && !closed;
    }
    if (isWanted) {
      beat();
    }
    return isWanted;
  }

  /** A step has printed something; costs next to nothing, however often that is. */
  void printed() {
    if (!printed.get() && printed.compareAndSet(false, true)) {
      scheduler.after(OUTPUT_GATHERED, this::hearOutput);
    }
  }

  private void hearOutput() {
    if (printed.getAndSet(false)) {
      beat();
    }
  }

  /** Makes a beat of what has come and is not told yet. */
  private void hear() {
    boolean hasCome;
    synchronized (this) {
      hasCome = !closed && outside != null && outside.hasCome();
    }
    if (printed.getAndSet(false) || hasCome) {
      beat();
    }
  }

  /** A renewal that renews only where the run has got on since it last did. */
  Renewal proving(Renewal renewal) {
    Renewal proving = heartbeat.proving(renewal);
    return new Renewal() {
      @Override
      public Result renew() {
        hear();
        return proving.renew();
      }

      @Override
      public Optional<Lost> look() {
        return proving.look();
      }
    };
  }

  /** The file that a step may write to as a beat; nothing where there is none. */
  synchronized Optional<String> path() {
    return Optional.ofNullable(outside).map(OutsideBeats.Taking::path);
  }

  private void tick() {
    boolean isDue;
    synchronized (this) {
      isDue = byClock;
    }
    if (isDue) {
      beat();
    } else {
      hear();
    }
    schedule();
  }

  /** The scheduler is called without our lock: it may hold its own while it calls us. */
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

  /** Beats no more. */
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
