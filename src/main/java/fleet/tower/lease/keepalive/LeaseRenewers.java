package fleet.tower.lease.keepalive;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

import fleet.tower.lease.Actor;
import fleet.tower.lease.HeldLease;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Starts keepers: they renew each lease thrice in its life, and no more rarely than {@code maxInterval}. What is due is begun by
 * timers, as in a command, or by a tick from outside, as in the service.
 */
public final class LeaseRenewers {
  public static final Duration DEFAULT_MAX_INTERVAL = Duration.ofSeconds(30);

  private final TimeSource time;
  private final Scheduler scheduler;
  private final RenewalLog log;
  private final Duration maxInterval;
  private final RenewalLag punctuality;
  private final Runnable tick;

  /** Each beat has a timer. */
  public LeaseRenewers(TimeSource time, Scheduler scheduler, RenewalLog log, Duration maxInterval) {
    this(time, scheduler, log, maxInterval, () -> {});
  }

  private LeaseRenewers(TimeSource time, Scheduler scheduler, RenewalLog log, Duration maxInterval, Runnable tick) {
    this.time = requireNonNull(time);
    this.scheduler = requireNonNull(scheduler);
    this.log = requireNonNull(log);
    this.maxInterval = requireNonNull(maxInterval);
    this.punctuality = new RenewalLag(time);
    this.tick = tick;
  }

  /** Beats that are due are begun by whoever calls {@link #renewDue}, and come late by as much as that does. */
  public static LeaseRenewers ticking(TimeSource time, Scheduler scheduler, RenewalLog log, Duration maxInterval) {
    DueQueue due = new DueQueue(time, scheduler);
    return new LeaseRenewers(time, due, log, maxInterval, due::beginDue);
  }

  /** Begins the beats that are due, on threads of their own; where timers begin them there is nothing to do. */
  public void renewDue() {
    tick.run();
  }

  /**
   * Renews a lease from now on until it is stopped or lost.
   *
   * @param path where a human finds the lease
   * @param actor who holds it, for the audit log
   */
  public LeaseRenewer keep(HeldLease tenure, String path, Actor actor, Renewal renewal, RenewalListener listener) {
    LeaseRenewer keeper = new LeaseRenewer(new RenewalState(tenure, path, actor, log, time), renewal, listener,
        scheduler, time,
        maxInterval, punctuality);
    keeper.start();
    return keeper;
  }

  /** How long what is ended under a tenure may take, to be killed before the tenure's time is over; no longer than {@code most}. */
  public Duration graceWithin(HeldLease tenure, Duration most) {
    long left = Math.max(0, (tenure.deadlineNanos() - time.nanos()) * 3 / 4);
    return most.toNanos() < left ? most : Duration.ofNanos(left);
  }

  /** Between two renewals, and between two looks at anything that proves life, at most. */
  public Duration maxInterval() {
    return maxInterval;
  }

  /** How late the beats of all these leases have come. */
  public RenewalLag punctuality() {
    return punctuality;
  }
}
