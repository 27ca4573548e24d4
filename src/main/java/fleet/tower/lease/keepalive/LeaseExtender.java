package fleet.tower.lease.keepalive;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseTerm;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.TimeSource;

/**
 * Keeps one lease alive by progress: extends it on the beats of its worker, where {@link LeaseRenewer} renews by the
 * clock. It has no thread: a worker that is stuck does not beat, its lease runs out, and another worker gets what was
 * leased.
 *
 * <p>The first beat extends at once. From then on there is at most one try per interval, counted from the start of the
 * last one, whether or not that succeeded and however many threads beat; and never two at a time. The thread that beats
 * calls the listener, without a lock except to record.
 */
public final class LeaseExtender {
  private final Settings settings;
  private final TimeSource time;
  private final RenewalListener listener;
  private final AtomicReference<@Nullable Attachment> attached = new AtomicReference<>();

  public LeaseExtender(Settings settings, TimeSource time, RenewalListener listener) {
    this.settings = settings;
    this.time = time;
    this.listener = listener;
  }

  /**
   * How leases are extended.
   *
   * @param interval the shortest time between two extensions
   * @param extension the time that a lease lasts after each one; longer than the interval, or leases would run out
   *     between beats
   */
  public record Settings(Duration interval, Duration extension, boolean enabled) {
    public static final Settings DEFAULT = new Settings(Duration.ofSeconds(60), Duration.ofSeconds(300), true);

    public Settings {
      if (interval.isNegative() || extension.compareTo(interval) <= 0) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST,
            "a lease that is extended by " + extension.toSeconds() + " s every " + interval.toSeconds()
                + " s at most expires in between; make the interval shorter than the extension");
      }
    }
  }

  /**
   * A listener that reports in sentences.
   *
   * @param debug receives extensions
   * @param warnings receives failures and the loss
   * @param onLost runs after the loss is reported
   */
  public static RenewalListener inWords(String name, Consumer<String> debug, Consumer<String> warnings,
      Runnable onLost) {
    return new RenewalListener() {
      @Override
      public void renewed(LeaseTerm term) {
        debug.accept("Extended visibility for " + name + " by " + term.ttl().toSeconds() + " seconds");
      }

      @Override
      public void failed(int consecutiveFailures, String error) {
        warnings.accept("Lease extension failed for " + name + ": " + error);
      }

      @Override
      public void unreachable(int consecutiveFailures, String error) {
        debug.accept("Lease extension failed for " + name + ": " + error);
      }

      @Override
      public void lost(Renewal.Lost loss) {
        warnings.accept("Lease extension failed for " + name + ": " + loss.reason());
        onLost.run();
      }
    };
  }

  /** Extends a lease on beats until the attachment is closed. One extender has one lease at a time. */
  public Attachment attach(Extendable lease, ProgressSignal progress) {
    Attachment attachment = new Attachment(lease);
    if (!attached.compareAndSet(null, attachment)) {
      throw new IllegalStateException("LeaseExtender already attached");
    }
    if (settings.enabled()) {
      attachment.listenTo(progress);
    }
    return attachment;
  }

  /** One lease while it is extended. Once this is closed, beats do nothing, and the listener is not called. */
  public final class Attachment implements AutoCloseable {
    private final RenewalState state;
    private ProgressSignal.@Nullable Listening listening;
    private boolean closed;
    private boolean trying;
    private @Nullable Long lastTryNanos;

    private Attachment(Extendable lease) {
      this.state = new RenewalState(
          new LeaseTerm.Of(settings.extension(), time.now(), requireNonNull(lease).deadlineNanos()),
          () -> lease.extend(settings.extension()), listener, time);
    }

    private synchronized void listenTo(ProgressSignal progress) {
      listening = progress.onBeat(this::onBeat);
    }

    /** Whether the lease is known to be lost. */
    public boolean isLost() {
      return state.isLost();
    }

    /** Whether the work may continue: the lease has not been lost, and its deadline has not passed. */
    public boolean isTrusted() {
      return state.isTrusted();
    }

    private void onBeat() {
      if (mayTry()) {
        RenewalState.Attempt attempt = record(state.attempt());
        if (attempt != null) {
          attempt.report(listener);
        }
      }
    }

    private synchronized boolean mayTry() {
      long now = time.nanos();
      Long last = lastTryNanos;
      if (closed || trying || state.isLost() || (last != null && now - last < settings.interval().toNanos())) {
        return false;
      }
      lastTryNanos = now;
      trying = true;
      return true;
    }

    private synchronized RenewalState.@Nullable Attempt record(Renewal.Result result) {
      trying = false;
      return closed ? null : state.record(result);
    }

    /** Ends the extensions. One that is under way may still reach the lease, but is not reported. */
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

  /** A lease that its holder extends by a duration of its choice, counted from now. */
  public interface Extendable {

    /** What is leased, for people: {@code message msg_1}. */
    String name();

    /** The deadline of the lease before it is extended, on this process' clock. */
    long deadlineNanos();

    /**
     * Extends the lease to at least this long from now; never shortens it. An exception counts as {@link Renewal.Failed}.
     */
    Renewal.Result extend(Duration by);
  }
}
