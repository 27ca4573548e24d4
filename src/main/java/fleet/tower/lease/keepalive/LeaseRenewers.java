package fleet.tower.lease.keepalive;

import java.time.Duration;

import fleet.tower.lease.Actor;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/** Starts the renewers of this process. Timers begin the renewals that are due, as in a command, or a tick from outside, as in the service. */
public final class LeaseRenewers {
  private final TimeSource time;
  private final Scheduler scheduler;
  private final RenewalLog log;
  private final Duration maxInterval;
  private final RenewalLag lag;
  private final Runnable tick;

  /** Renewers that each have a timer. */
  public LeaseRenewers(TimeSource time, Scheduler scheduler, RenewalLog log, Duration maxInterval) {
    this(time, scheduler, log, maxInterval, () -> {});
  }

  private LeaseRenewers(TimeSource time, Scheduler scheduler, RenewalLog log, Duration maxInterval, Runnable tick) {
    this.time = time;
    this.scheduler = scheduler;
    this.log = log;
    this.maxInterval = maxInterval;
    this.lag = new RenewalLag(time);
    this.tick = tick;
  }

  /** Renewers that wait for {@link #renewDue}; a renewal is late by as much as that call. */
  public static LeaseRenewers ticking(TimeSource time, Scheduler scheduler, RenewalLog log, Duration maxInterval) {
    DueQueue due = new DueQueue(time, scheduler);
    return new LeaseRenewers(time, due, log, maxInterval, due::beginDue);
  }

  /** Begins the renewals that are due, on threads of their own; does nothing where timers begin them. */
  public void renewDue() {
    tick.run();
  }

  /**
   * Renews a lock until it is stopped or lost. Its listener is warned before the deadline.
   *
   * @param path where a human finds the lock
   * @param actor the holder, for the audit log
   */
  public LeaseRenewer keep(HeldLease held, String path, Actor actor, Renewal renewal, RenewalListener listener) {
    Lease lease = held.lease();
    return start(lease.name().value(),
        new RenewalState(held, renewal, new RenewalState.Log(log, lease, path, actor), time),
        ExpiryAlarm.End.BEFORE_THE_DEADLINE, listener);
  }

  /**
   * Renews a lease until it is stopped or lost; it counts as lost once its deadline has passed, whether or not its
   * store can be reached. Nothing is logged.
   *
   * @param name what is leased, for people: {@code task t-1}
   */
  public LeaseRenewer keepUntilDeadline(String name, LeaseTerm term, Renewal renewal, RenewalListener listener) {
    return start(name, new RenewalState(term, renewal, null, time), ExpiryAlarm.End.AT_THE_DEADLINE, listener);
  }

  private LeaseRenewer start(String name, RenewalState state, ExpiryAlarm.End end, RenewalListener listener) {
    LeaseRenewer renewer = new LeaseRenewer(name, state, end, listener, scheduler, time, maxInterval, lag);
    renewer.start();
    return renewer;
  }

  /**
   * The time that a process under a lease has to exit on its own, at most {@code most}, so that it can be killed before
   * the deadline.
   */
  public Duration graceWithin(LeaseTerm term, Duration most) {
    return RenewalSchedule.grace(Duration.ofNanos(term.deadlineNanos() - time.nanos()), most);
  }

  /** The longest time between two renewals, and between two checks of anything that proves life. */
  public Duration maxInterval() {
    return maxInterval;
  }

  /** The lag of the renewals of all these leases. */
  public RenewalLag lag() {
    return lag;
  }
}
