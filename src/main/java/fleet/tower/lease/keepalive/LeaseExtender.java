package fleet.tower.lease.keepalive;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.TimeSource;

/**
 * Keeps one lease alive by the work that is done under it: extends it on the beats of its worker. No thread of its own: when
 * the worker is stuck there are no beats, the lease runs out, and another worker gets what was leased.
 *
 * <p>The first beat extends at once. From then on there is one try in an interval at most, counted from the beginning of the
 * last one, whether that succeeded or not and however many threads beat; and never two at a time. Listeners are told without
 * a lock, by the thread that beats.
 */
public final class LeaseExtender {
  private final Settings settings;
  private final TimeSource time;
  private final Listener listener;
  private final AtomicReference<@Nullable Attachment> attached = new AtomicReference<>();

  public LeaseExtender(Settings settings, TimeSource time, Listener listener) {
    this.settings = requireNonNull(settings);
    this.time = requireNonNull(time);
    this.listener = requireNonNull(listener);
  }

  /**
   * How leases are extended.
   *
   * @param interval between two extensions at least
   * @param extension how long a lease lasts from each one on; longer than the interval, or leases would run out between beats
   */
  public record Settings(Duration interval, Duration extension, boolean enabled) {
    public static final Settings DEFAULT = new Settings(Duration.ofSeconds(60), Duration.ofSeconds(300), true);

    public Settings {
      if (interval.isNegative() || extension.compareTo(interval) <= 0) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST,
            "a lease that is extended by " + extension.toSeconds() + " s every " + interval.toSeconds()
                + " s at most runs out in between; make the interval shorter than the extension");
      }
    }
  }

  /** Told what becomes of a lease; never while a lock is held. */
  public interface Listener {

    /** It was extended. */
    default void extended(Extendable lease, Duration by) {}

    /** It could not be extended; it is tried again with the first beat after the interval. */
    default void failed(Extendable lease, String error) {}

    /** The lease is lost for good, which is told once. The work on what was leased has to stop. */
    void lost(Extendable lease, String reason);

    /** Tells in sentences: of extensions for who looks closely, of failures and losses for everybody. */
    static Listener inWords(Consumer<String> closely, Consumer<String> everybody) {
      return new Listener() {
        @Override
        public void extended(Extendable lease, Duration by) {
          closely.accept("Extended visibility for " + lease.name() + " by " + by.toSeconds() + " seconds");
        }

        @Override
        public void failed(Extendable lease, String error) {
          everybody.accept("Lease extension failed for " + lease.name() + ": " + error);
        }

        @Override
        public void lost(Extendable lease, String reason) {
          everybody.accept("Lease extension failed for " + lease.name() + ": " + reason);
        }
      };
    }
  }

  /** Extends a lease on beats from now on, until the attachment is closed. One extender has one lease at a time. */
  public Attachment attach(Extendable lease, ProgressSignal heartbeat) {
    Attachment attachment = new Attachment(lease);
    if (!attached.compareAndSet(null, attachment)) {
      throw new IllegalStateException("LeaseExtender already attached");
    }
    if (settings.enabled()) {
      attachment.listenTo(heartbeat);
    }
    return attachment;
  }

  /** One lease while it is extended. Once this is closed, beats do nothing, and nothing is told. */
  public final class Attachment implements AutoCloseable {
    private final Extendable lease;
    private ProgressSignal.@Nullable Listening listening;
    private boolean closed;
    private boolean lost;
    private boolean trying;
    private boolean hasTried;
    private long lastTryNanos;
    private long deadlineNanos;

    private Attachment(Extendable lease) {
      this.lease = requireNonNull(lease);
      this.deadlineNanos = lease.deadlineNanos();
    }

    private synchronized void listenTo(ProgressSignal heartbeat) {
      listening = heartbeat.onBeat(this::beaten);
    }

    /** Whether the lease is known to be lost. */
    public synchronized boolean isLost() {
      return lost;
    }

    /** Whether the work may go on: the lease was not lost, and its time is not over. */
    public synchronized boolean isTrusted() {
      return !lost && time.nanos() - deadlineNanos <= 0;
    }

    private void beaten() {
      if (mayTry()) {
        Extendable.Result result = extend();
        if (isNews(result)) {
          tell(result);
        }
      }
    }

    private synchronized boolean mayTry() {
      long now = time.nanos();
      if (closed || lost || trying || (hasTried && now - lastTryNanos < settings.interval().toNanos())) {
        return false;
      }
      hasTried = true;
      lastTryNanos = now;
      trying = true;
      return true;
    }

    private Extendable.Result extend() {
      try {
        return lease.extend(settings.extension());
      } catch (RuntimeException | Error e) {
        return new Extendable.Failed(e.getMessage() == null ? e.toString() : e.getMessage());
      }
    }

    private synchronized boolean isNews(Extendable.Result result) {
      trying = false;
      switch (result) {
        case Extendable.Extended(long later) -> deadlineNanos = later - deadlineNanos > 0 ? later : deadlineNanos;
        case Extendable.Failed _ -> {
        }
        case Extendable.Lost _ -> lost |= !closed;
      }
      return !closed;
    }

    private void tell(Extendable.Result result) {
      switch (result) {
        case Extendable.Extended _ -> listener.extended(lease, settings.extension());
        case Extendable.Failed(String error) -> listener.failed(lease, error);
        case Extendable.Lost(String reason) -> listener.lost(lease, reason);
      }
    }

    /** Extends no more. What is under way may still reach the lease, but nobody is told. */
    @Override
    public void close() {
      ProgressSignal.Listening toEnd;
      synchronized (this) {
        closed = true;
        toEnd = listening;
      }
      if (toEnd != null) {
        toEnd.close();
      }
      attached.compareAndSet(this, null);
    }
  }
}
