package fleet.tower.lease.keepalive;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/**
 * The sign that work makes progress: a worker beats with every piece of work. Others see the time since the last beat,
 * and can listen to each.
 *
 * <p>Any number of threads may beat. The thread that beats calls the listeners, without a lock, in the order in which
 * they were added; one that is added or closed meanwhile takes part from the next beat on. A listener that throws stops
 * neither the other listeners nor the work.
 */
public final class ProgressSignal {
  private final TimeSource time;
  private final AtomicLong lastNanos;
  private final AtomicLong beats = new AtomicLong();
  private final List<Listening> listening = new CopyOnWriteArrayList<>();

  /** Its creation counts as the first sign of life. */
  public ProgressSignal(TimeSource time) {
    this.time = time;
    this.lastNanos = new AtomicLong(time.nanos());
  }

  /** A listener; it is called until it is closed. */
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

  /** Proves that the work makes progress. */
  public void beat() {
    long now = time.nanos();
    lastNanos.updateAndGet(last -> now - last > 0 ? now : last);
    beats.incrementAndGet();
    for (Listening each : listening) {
      call(each);
    }
  }

  private static void call(Listening listening) {
    try {
      listening.work.run();
    } catch (RuntimeException | Error e) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    }
  }

  /** The time since the last beat. */
  public Duration elapsed() {
    return Duration.ofNanos(Math.max(0, time.nanos() - lastNanos.get()));
  }

  /** The time of the last beat, by the wall clock as it is set now. */
  public Instant lastAt() {
    return time.now().minus(elapsed());
  }

  /** The number of beats. */
  public long beats() {
    return beats.get();
  }

  /** Calls {@code work} with every beat from now on. */
  public Listening onBeat(Runnable work) {
    Listening added = new Listening(work);
    listening.add(added);
    return added;
  }

  /**
   * A renewal that needs proof of work: it renews only if there was a beat since the last renewal, so that the lease of
   * stuck work expires even though its process lives. It still checks whether the lease is lost.
   */
  public Renewal proving(Renewal renewal) {
    return proving(renewal, beats());
  }

  /** The same, where the lease was last renewed after {@code provenBeats} beats. */
  public Renewal proving(Renewal renewal, long provenBeats) {
    AtomicLong proven = new AtomicLong(provenBeats);
    return new Renewal() {
      @Override
      public Result renew() {
        long seen = beats();
        if (seen == proven.get()) {
          return look().<Result>map(lost -> lost)
              .orElseGet(() -> new Withheld("no progress since " + Timestamps.format(lastAt())));
        }
        Result result = renewal.renew();
        if (result instanceof Renewed) {
          proven.set(seen);
        }
        return result;
      }

      @Override
      public Optional<Lost> look() {
        return renewal.look();
      }
    };
  }
}
