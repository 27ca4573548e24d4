package fleet.tower.lease.keepalive;

import java.time.Duration;

import fleet.tower.lease.HeldLease;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Starts the renewers of this process. Timers begin the renewals that are due, as in a command, or a tick from outside,
 * as in the service.
 */
public final class LeaseRenewers {
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Duration maxInterval;
  private final RenewalLag lag;
  private final Runnable tick;

  /** Renewers that each have a timer. */
  public LeaseRenewers(TimeSource time, Scheduler scheduler, Duration maxInterval) {
    this(time, scheduler, maxInterval, () -> {});
  }

  private LeaseRenewers(TimeSource time, Scheduler scheduler, Duration maxInterval, Runnable tick) {
    this.time = time;
    this.scheduler = scheduler;
    this.maxInterval = maxInterval;
    this.lag = new RenewalLag(time);
    this.tick = tick;
  }

  /** Renewers that wait for {@link #renewDue}; a renewal is late by as much as that call. */
  public static LeaseRenewers ticking(TimeSource time, Scheduler scheduler, Duration maxInterval) {
    DueQueue due = new DueQueue(time, scheduler);
    return new LeaseRenewers(time, due, maxInterval, due::beginDue);
  }

  /** Begins the renewals that are due, on threads of their own; does nothing where timers begin them. */
  public void renewDue() {
    tick.run();
  }

  /** Renews a lock until it is stopped or lost. Its listener is warned before the deadline. */
  public LeaseRenewer keep(HeldLease held, Renewal renewal, RenewalListener listener) {
    return start(held.lease().name().value(), held, renewal, ExpiryAlarm.End.BEFORE_THE_DEADLINE, listener);
  }

  /**
   * Renews a lease until it is stopped or lost; it counts as lost once its deadline has passed, whether or not its
   * store can be reached.
   *
   * @param name what is leased, for people: {@code task t-1}
   */
  public LeaseRenewer keepUntilDeadline(String name, LeaseTerm term, Renewal renewal, RenewalListener listener) {
    return start(name, term, renewal, ExpiryAlarm.End.AT_THE_DEADLINE, listener);
  }

  private LeaseRenewer start(String name, LeaseTerm term, Renewal renewal, ExpiryAlarm.End end,
      RenewalListener listener) {
    RenewalState state = new RenewalState(term, renewal, listener, time);
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
