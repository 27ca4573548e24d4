package fleet.tower.heartbeat;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseRules;
import fleet.tower.lease.Tenure;
import fleet.tower.time.Scheduler;
import fleet.tower.time.TimeSource;

/**
 * Keeps one lease alive by the clock: renews it at its interval for as long as this process lives, or, with
 * {@link Heartbeat#proving}, for as long as the work under it does.
 *
 * <p>A beat runs under a lock of its own, and {@link #stop} waits for it: whoever has stopped the keeper may release the
 * lease and be sure that no late beat writes it back. Listeners are told after the lock is given back.
 */
public final class Keeper {
  private final HeldLease held;
  private final Renewal renewal;
  private final HeartbeatListener listener;
  private final Scheduler scheduler;
  private final TimeSource time;
  private final Duration maxInterval;
  private final Punctuality punctuality;
  private final Curfew curfew;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean stopped;
  private long dueNanos;
  private Scheduler.@Nullable Pending next;

  Keeper(HeldLease held, Renewal renewal, HeartbeatListener listener, Scheduler scheduler, TimeSource time,
      Duration maxInterval, Punctuality punctuality) {
    this.held = held;
    this.renewal = renewal;
    this.listener = listener;
    this.scheduler = scheduler;
    this.time = time;
    this.maxInterval = maxInterval;
    this.punctuality = punctuality;
    this.curfew = new Curfew(held.tenure(), scheduler, time, this::doubt);
  }

  /** What came of a beat, to be told when the lock is given back. */
  private record Beat(Renewal.Result result, int consecutiveFailures) {}

  void start() {
    locked(() -> schedule(Duration.ZERO));
    curfew.extend(held.tenure());
  }

  /** The lease as the last successful beat left it. */
  public Tenure tenure() {
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

  /** Beats now, whether it is due or not, as one does who was stopped for an unknown time. */
  public void renew() {
    tell(locked(() -> stopped || held.isLost() ? null : beatOnce()));
  }

  /** Whether the lease is not ours any more, as far as a beat has seen. */
  public boolean isLost() {
    return locked(held::isLost);
  }

  /** Ends the beats and waits for a beat that is under way. The lease itself stays as it is. */
  public void stop() {
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
      return null;
    }
    long begun = time.nanos();
    punctuality.record(Duration.ofNanos(Math.max(0, begun - dueNanos)));
    Beat beat = beatOnce();
    if (!held.isLost()) {
      schedule(Duration.ofNanos(time.nanos() - begun));
    }
    return beat;
  }

  private Beat beatOnce() {
    long stamp = time.nanos();
    Renewal.Result result;
    try {
      result = renewal.renew();
    } catch (RuntimeException | Error e) {
      // A class that is missing or memory that is short must not end the beats of a lease that is held.
      result = new Renewal.Failed(e.getMessage() == null ? e.toString() : e.getMessage());
    }
    held.take(result);
    switch (result) {
      case Renewal.Renewed(Tenure renewed) -> curfew.extend(renewed);
      case Renewal.Failed _ -> {
        if (renewal.isHeldBack()) {
          curfew.extend(Tenure.since(stamp, held.tenure().lease()));
        }
      }
      case Renewal.Lost _ -> curfew.end();
    }
    return new Beat(result, held.consecutiveFailures());
  }

  private void tell(@Nullable Beat beat) {
    if (beat == null) {
      return;
    }
    switch (beat.result()) {
      case Renewal.Renewed(Tenure renewed) -> listener.renewed(renewed);
      case Renewal.Failed(String error) -> listener.failed(beat.consecutiveFailures(), error);
      case Renewal.Lost loss -> listener.lost(loss);
    }
  }

  /** Who comes too late was stopped himself: then a beat may find that the lease is his still. */
  private void doubt(Tenure tenure) {
    if (tenure.isTrustedAt(time.nanos())) {
      listener.doubted(tenure);
    } else {
      scheduler.after(Duration.ZERO, () -> {
        if (!confirm() && !isLost()) {
          listener.doubted(tenure);
        }
      });
    }
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
    Duration interval = LeaseRules.heartbeatInterval(held.tenure().lease().ttl(), maxInterval);
    Duration rest = interval.minus(spent);
    Duration delay = rest.isNegative() ? Duration.ZERO : rest;
    dueNanos = time.nanos() + rest.toNanos();
    next = scheduler.after(delay, this::beat);
  }
}
