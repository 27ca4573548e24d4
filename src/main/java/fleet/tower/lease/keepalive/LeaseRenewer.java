package fleet.tower.lease.keepalive;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.HeldLease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseRules;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Keeps one lease alive by the clock: renews it at its interval for as long as this process lives, or, with
 * {@link ProgressSignal#proving}, for as long as the work under it does.
 *
 * <p>After a beat that failed the next comes sooner, so that a lease of any ttl sees three of them before its holder has to
 * end the work; and one more is tried just before that.
 *
 * <p>A beat runs under a lock of its own, and {@link #stop} waits for it: whoever has stopped the keeper may release the
 * lease and be sure that no late beat writes it back. Listeners are told after the lock is given back.
 */
public final class LeaseRenewer implements RenewalLag.Expected {
  private final RenewalState held;
  private final Renewal renewal;
  private final RenewalListener listener;
  private final Scheduler scheduler;
  private final TimeSource time;
  private final Duration maxInterval;
  private final RenewalLag punctuality;
  private final ExpiryAlarm curfew;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean stopped;
  private boolean isHeldBack;
  private volatile long dueNanos;
  /** Since when a beat is under way; null while there is none. */
  private volatile @Nullable Long underWaySince;
  private volatile boolean isDoubted;
  private Scheduler.@Nullable Pending next;

  LeaseRenewer(RenewalState held, Renewal renewal, RenewalListener listener, Scheduler scheduler, TimeSource time,
      Duration maxInterval, RenewalLag punctuality) {
    this.held = held;
    this.renewal = renewal;
    this.listener = listener;
    this.scheduler = scheduler;
    this.time = time;
    this.maxInterval = maxInterval;
    this.punctuality = punctuality;
    this.curfew = new ExpiryAlarm(held.tenure(), scheduler, time, this::tryLast, this::doubt);
  }

  /** What came of a beat, to be told when the lock is given back. */
  private record Beat(Renewal.Result result, int consecutiveFailures, boolean isHeldBack) {}

  void start() {
    locked(() -> schedule(Duration.ZERO));
    curfew.extend(held.tenure());
    punctuality.expect(this);
  }

  @Override
  public long dueNanos() {
    return dueNanos;
  }

  @Override
  public LeaseName name() {
    return held.tenure().lease().name();
  }

  @Override
  public HeartbeatCounts counts() {
    return held.counts();
  }

  @Override
  public boolean isFailing() {
    return isDoubted || held.counts().consecutiveFailures() > 0;
  }

  /** The lease as the last successful beat left it. */
  public HeldLease tenure() {
    return locked(held::tenure);
  }

  /**
   * Whether the holder may begin something new under the lease: it has not been lost, and either its deadline has not passed
   * or a beat that is tried now confirms it.
   */
  public boolean confirm() {
    tell(locked(() -> stopped || held.isLost() || held.isTrusted() ? null : beatOnce()));
    return locked(held::isTrusted);
  }

  /**
   * Beats now, whether it is due or not, as one does who was stopped for an unknown time.
   *
   * @return whether that has renewed the lease
   */
  public boolean renew() {
    Beat beat = locked(() -> stopped || held.isLost() ? null : beatOnce());
    tell(beat);
    return beat != null && beat.result() instanceof Renewal.Renewed;
  }

  /** Records that the lease is not renewed, as far as that is not recorded yet. Writes to the audit log, which may take its time. */
  public void reportFailures(HeartbeatCounts doubted) {
    held.reportFailures(doubted);
  }

  /** Records that the holder has given the lease up because it was not renewed. Writes to the audit log, which may take its time. */
  public void giveUp(HeartbeatCounts doubted) {
    held.reportGivenUp(doubted);
  }

  /** Whether the lease is not ours any more, as far as a beat has seen. */
  public boolean isLost() {
    return locked(held::isLost);
  }

  /** Ends the beats and waits for a beat that is under way. The lease itself stays as it is. */
  public void stop() {
    punctuality.expectNoMore(this);
    locked(() -> {
      stopped = true;
      curfew.end();
      if (next != null) {
        next.cancel();
      }
    });
  }

  private void beat() {
    tell(locked(this::beatAndSchedule));
  }

  private @Nullable Beat beatAndSchedule() {
    if (stopped || held.isLost()) {
      punctuality.expectNoMore(this);
      return null;
    }
    long begun = time.nanos();
    punctuality.record(Duration.ofNanos(Math.max(0, begun - dueNanos)));
    Beat beat = beatOnce();
    if (held.isLost()) {
      punctuality.expectNoMore(this);
    } else {
      schedule(Duration.ofNanos(time.nanos() - begun));
    }
    return beat;
  }

  private Beat beatOnce() {
    long stamp = time.nanos();
    underWaySince = stamp;
    Renewal.Result result;
    try {
      result = renewal.renew();
    } catch (RuntimeException | Error e) {
      // A class that is missing or memory that is short must not end the beats of a lease that is held.
      result = new Renewal.Failed(e.getMessage() == null ? e.toString() : e.getMessage());
    }
    underWaySince = null;
    isHeldBack = result instanceof Renewal.Failed && renewal.isHeldBack();
    if (result instanceof Renewal.Renewed(HeldLease renewed)) {
      isDoubted = false;
      // Before anything is recorded: a log that hangs must not end work whose lease was renewed.
      curfew.extend(renewed);
    }
    held.take(result);
    switch (result) {
      case Renewal.Renewed _ -> {
      }
      case Renewal.Failed _ -> {
        punctuality.recordFailure();
        if (isHeldBack) {
          curfew.extend(HeldLease.since(stamp, held.tenure().lease()));
        }
      }
      case Renewal.Lost _ -> curfew.end();
    }
    return new Beat(result, held.counts().consecutiveFailures(), isHeldBack);
  }

  private void tell(@Nullable Beat beat) {
    if (beat == null) {
      return;
    }
    switch (beat.result()) {
      case Renewal.Renewed(HeldLease renewed) -> listener.renewed(renewed);
      case Renewal.Failed(String error) when beat.isHeldBack() ->
        listener.heldBack(beat.consecutiveFailures(), error);
      case Renewal.Failed(String error) -> listener.failed(beat.consecutiveFailures(), error);
      case Renewal.Lost loss -> listener.lost(loss);
    }
  }

  /** On another thread than the alarm's: a store that hangs holds up this try, and not the end of the work. */
  private void tryLast() {
    scheduler.after(Duration.ZERO, this::renew);
  }

  /** Who comes too late was stopped himself: then a beat may find that the lease is his still. */
  private void doubt(HeldLease tenure) {
    if (tenure.isTrustedAt(time.nanos())) {
      tellOfDoubt(tenure);
    } else {
      scheduler.after(Duration.ZERO, () -> {
        if (!confirm() && !isLost()) {
          tellOfDoubt(tenure);
        }
      });
    }
  }

  private void tellOfDoubt(HeldLease tenure) {
    isDoubted = true;
    listener.doubted(tenure, countsWithUnanswered());
  }

  /** The counts with a beat that hangs as one more failure. */
  private HeartbeatCounts countsWithUnanswered() {
    HeartbeatCounts counts = held.counts();
    Long since = underWaySince;
    if (since == null) {
      return counts;
    }
    String before = counts.lastError() == null ? "" : "; before that: " + counts.lastError();
    return counts
        .failed("no answer for " + Math.max(0, Duration.ofNanos(time.nanos() - since).toMillis()) + " ms" + before);
  }

  private void locked(Runnable work) {
    locked(() -> {
      work.run();
      return true;
    });
  }

  private <T extends @Nullable Object> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  /** A beat's own time counts as part of the interval, so a slow disk makes beats no rarer. */
  private void schedule(Duration spent) {
    Ttl ttl = held.tenure().lease().ttl();
    // Work that has proven nothing is no failure of the store: asking sooner would help nobody.
    Duration interval = held.counts().consecutiveFailures() > 0 && !isHeldBack
        ? LeaseRules.retryInterval(ttl, maxInterval)
        : LeaseRules.heartbeatInterval(ttl, maxInterval);
    Duration rest = interval.minus(spent);
    Duration delay = rest.isNegative() ? Duration.ZERO : rest;
    dueNanos = time.nanos() + rest.toNanos();
    next = scheduler.after(delay, this::beat);
  }
}
