package fleet.tower.lease.keepalive;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Keeps one lease alive by the clock: renews it at its interval for as long as this process lives, or, with
 * {@link ProgressSignal#proving}, for as long as the work under it makes progress. {@link RenewalSchedule} has the
 * times.
 *
 * <p>A renewal runs under a lock of its own, and {@link #stop} waits for it: after that the lease can be released, and
 * no late renewal writes it back. Listeners are called after the lock is released, except to record.
 */
public final class LeaseRenewer implements RenewalLag.Expected {
  private final String name;
  private final RenewalState state;
  private final ExpiryAlarm.End end;
  private final RenewalListener listener;
  private final Scheduler scheduler;
  private final TimeSource time;
  private final Duration maxInterval;
  private final RenewalLag lag;
  private final ExpiryAlarm alarm;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean stopped;
  private volatile long dueNanos;
  /** When the renewal under way began; null while there is none. */
  private volatile @Nullable Long underWaySince;
  private volatile boolean isDoubted;
  private Scheduler.@Nullable Pending next;

  LeaseRenewer(String name, RenewalState state, ExpiryAlarm.End end, RenewalListener listener, Scheduler scheduler,
      TimeSource time, Duration maxInterval, RenewalLag lag) {
    this.name = name;
    this.state = state;
    this.end = end;
    this.listener = listener;
    this.scheduler = scheduler;
    this.time = time;
    this.maxInterval = maxInterval;
    this.lag = lag;
    this.alarm = new ExpiryAlarm(state.term(), end, scheduler, time, this::tryLast, this::onAlarm);
  }

  void start() {
    locked(() -> schedule(RenewalSchedule.interval(state.term().ttl(), maxInterval), Duration.ZERO));
    alarm.extend(state.term());
    lag.expect(this);
  }

  @Override
  public long dueNanos() {
    return dueNanos;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public HeartbeatCounts counts() {
    return state.counts();
  }

  @Override
  public boolean isFailing() {
    return isDoubted || state.counts().consecutiveFailures() > 0;
  }

  /** The term of the lease after the last successful renewal. */
  public LeaseTerm term() {
    return locked(state::term);
  }

  /**
   * Whether the holder may begin something new under the lease: it has not been lost, and either its deadline has not
   * passed or a renewal that is tried now confirms it.
   */
  public boolean confirm() {
    report(locked(() -> stopped || state.isLost() || state.isTrusted() ? null : attempt()));
    return locked(state::isTrusted);
  }

  /**
   * Renews the lease now, whether a renewal is due or not: this process may have been suspended.
   *
   * @return whether that has renewed the lease
   */
  public boolean renew() {
    RenewalState.Attempt attempt = locked(() -> stopped || state.isLost() ? null : attempt());
    report(attempt);
    return attempt != null && attempt.result() instanceof Renewal.Renewed;
  }

  /** Has the listener record that the lease is not renewed, unless it has already. That may take a while. */
  public void reportFailures(HeartbeatCounts doubted) {
    state.reportFailures(doubted);
  }

  /** Has the listener record that the holder has given up a lease that was not renewed. That may take a while. */
  public void giveUp(HeartbeatCounts doubted) {
    state.reportGivenUp(doubted);
  }

  /** Whether the lease is known to be lost. */
  public boolean isLost() {
    return state.isLost();
  }

  /** Ends the renewals and waits for one that is under way. The lease itself stays as it is. */
  public void stop() {
    lag.expectNoMore(this);
    locked(() -> {
      stopped = true;
      alarm.cancel();
      if (next != null) {
        next.cancel();
      }
    });
  }

  private void renewOnTime() {
    report(locked(this::attemptAndSchedule));
  }

  private RenewalState.@Nullable Attempt attemptAndSchedule() {
    if (stopped || state.isLost()) {
      lag.expectNoMore(this);
      return null;
    }
    long begun = time.nanos();
    lag.record(Duration.ofNanos(Math.max(0, begun - dueNanos)));
    RenewalState.Attempt attempt = attempt();
    if (attempt == null || state.isLost()) {
      lag.expectNoMore(this);
    } else {
      // Work without progress is not a failure of the store, so an earlier try would not help.
      Duration ttl = state.term().ttl();
      schedule(attempt.result() instanceof Renewal.Failed
          ? RenewalSchedule.retry(ttl, maxInterval)
          : RenewalSchedule.interval(ttl, maxInterval), Duration.ofNanos(time.nanos() - begun));
    }
    return attempt;
  }

  private RenewalState.@Nullable Attempt attempt() {
    long stamp = time.nanos();
    underWaySince = stamp;
    Renewal.Result result = state.attempt();
    underWaySince = null;
    // The alarm moves before anything is recorded: a log that hangs must not end work whose lease was renewed.
    switch (result) {
      case Renewal.Renewed(LeaseTerm term) -> {
        isDoubted = false;
        alarm.extend(term);
      }
      case Renewal.Withheld _ -> {
        lag.recordFailure();
        if (end == ExpiryAlarm.End.BEFORE_THE_DEADLINE) {
          // No other holder was seen, so the work is not stopped while its lease runs out.
          LeaseTerm term = state.term();
          alarm.extend(new LeaseTerm.Of(term.ttl(), term.lastHeartbeatAt(), stamp + term.ttl().toNanos()));
        }
      }
      case Renewal.Failed _ -> lag.recordFailure();
      case Renewal.Lost _ -> alarm.cancel();
    }
    return state.record(result);
  }

  private void report(RenewalState.@Nullable Attempt attempt) {
    if (attempt != null) {
      attempt.report(listener);
    }
  }

  /** Runs on a different thread from the alarm's: a store that hangs delays this try, but not the end of the work. */
  private void tryLast() {
    scheduler.after(Duration.ZERO, this::renew);
  }

  private void onAlarm(LeaseTerm term) {
    switch (end) {
      case BEFORE_THE_DEADLINE -> doubt(term);
      case AT_THE_DEADLINE -> loseAtDeadline();
    }
  }

  /**
   * If this alarm comes after the deadline, this process was suspended: then a renewal may find that it still holds the
   * lease.
   */
  private void doubt(LeaseTerm term) {
    if (term.isTrustedAt(time.nanos())) {
      reportDoubt(term);
    } else {
      scheduler.after(Duration.ZERO, () -> {
        if (!confirm() && !isLost()) {
          reportDoubt(term);
        }
      });
    }
  }

  private void reportDoubt(LeaseTerm term) {
    isDoubted = true;
    listener.doubted(term, countsWithUnanswered());
  }

  /** Does not wait for the lock, which a renewal that hangs may hold. */
  private void loseAtDeadline() {
    if (state.lose()) {
      alarm.cancel();
      lag.expectNoMore(this);
      scheduler.after(Duration.ZERO,
          () -> listener.lost(new Renewal.Lost("not renewed before its deadline", null)));
    }
  }

  /** The counts, with a renewal that hangs as one more failure. */
  private HeartbeatCounts countsWithUnanswered() {
    HeartbeatCounts counts = state.counts();
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

  /** A renewal's own time counts as part of the interval, so a slow disk does not make renewals rarer. */
  private void schedule(Duration interval, Duration spent) {
    Duration rest = interval.minus(spent);
    dueNanos = time.nanos() + rest.toNanos();
    next = scheduler.after(rest.isNegative() ? Duration.ZERO : rest, this::renewOnTime);
  }
}
