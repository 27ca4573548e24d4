package fleet.tower.lease.keepalive;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/**
 * What a worker proves by that it gets on: it beats with every piece of work. Others see how long ago the last beat was, and
 * are told of each.
 *
 * <p>Any number of threads may beat. Whoever is told is told by the thread that beats, without a lock, in the order in which
 * they came; those who come or go meanwhile are told from the next beat on. One who throws keeps nobody else from being told,
 * nor the work from going on.
 */
public final class ProgressSignal {
  private final TimeSource time;
  private final AtomicLong lastNanos;
  private final AtomicLong beats = new AtomicLong();
  private final List<Listening> listening = new CopyOnWriteArrayList<>();

  /** Its making counts as the last sign of life. */
  public ProgressSignal(TimeSource time) {
    this.time = requireNonNull(time);
    this.lastNanos = new AtomicLong(time.nanos());
  }

  /** Told of beats until it is closed. */
  public final class Listening implements AutoCloseable {
    private final Runnable work;

    private Listening(Runnable work) {
      this.work = work;
    }

    @Override
    public void close() {
      listening.remove(this);
    }
  }

  /** Proves that the work gets on. */
  public void beat() {
    long now = time.nanos();
    lastNanos.updateAndGet(last -> now - last > 0 ? now : last);
    beats.incrementAndGet();
    for (Listening each : listening) {
      tell(each);
    }
  }

  private static void tell(Listening listening) {
    try {
      listening.work.run();
    } catch (RuntimeException | Error e) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    }
  }

  /** How long ago the last beat was. */
  public Duration elapsed() {
    return Duration.ofNanos(Math.max(0, time.nanos() - lastNanos.get()));
  }

  /** When the last beat was, as the clock on the wall has it now. */
  public Instant lastAt() {
    return time.now().minus(elapsed());
  }

  /** How often it has beaten. */
  public long beats() {
    return beats.get();
  }

  /** Does this with every beat from now on. */
  public Listening onBeat(Runnable work) {
    Listening added = new Listening(requireNonNull(work));
    listening.add(added);
    return added;
  }

  /**
   * A renewal that asks for proof of work: it renews only where there was a beat since it last did, so that a lease whose
   * work is stuck runs out, though its process lives. It goes on looking whether the lease was lost.
   */
  public Renewal proving(Renewal renewal) {
    AtomicLong proven = new AtomicLong(beats());
    return new Renewal() {
      private volatile boolean isHeldBack;

      @Override
      public Result renew() {
        long seen = beats();
        isHeldBack = false;
        if (seen == proven.get()) {
          Optional<Lost> loss = look();
          isHeldBack = loss.isEmpty();
          return loss.<Result>map(lost -> lost).orElseGet(
              () -> new Failed("no progress since " + Timestamps.format(lastAt())));
        }
        Result result = renewal.renew();
        if (result instanceof Renewed) {
          proven.set(seen);
        }
        return result;
      }

      @Override
      public boolean isHeldBack() {
        return isHeldBack;
      }

      @Override
      public Optional<Lost> look() {
        return renewal.look();
      }
    };
  }
}
