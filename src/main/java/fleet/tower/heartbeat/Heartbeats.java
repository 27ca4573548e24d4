package fleet.tower.heartbeat;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Tenure;
import fleet.tower.time.Scheduler;
import fleet.tower.time.TimeSource;

/**
 * Starts keepers: they renew each lease thrice in its life, and no more rarely than {@code maxInterval}. What is due is begun by
 * timers, as in a command, or by a tick from outside, as in the service.
 */
public final class Heartbeats {
  public static final Duration DEFAULT_MAX_INTERVAL = Duration.ofSeconds(30);

  private final TimeSource time;
  private final Scheduler scheduler;
  private final RenewalLog log;
  private final Duration maxInterval;
  private final Punctuality punctuality;
  private final Runnable tick;

  /** Each beat has a timer. */
  public Heartbeats(TimeSource time, Scheduler scheduler, RenewalLog log, Duration maxInterval) {
    this(time, scheduler, log, maxInterval, () -> {});
  }

  private Heartbeats(TimeSource time, Scheduler scheduler, RenewalLog log, Duration maxInterval, Runnable tick) {
    this.time = requireNonNull(time);
    this.scheduler = requireNonNull(scheduler);
    this.log = requireNonNull(log);
    this.maxInterval = requireNonNull(maxInterval);
    this.punctuality = new Punctuality(time);
    this.tick = tick;
  }

  /** Beats that are due are begun by whoever calls {@link #renewDue}, and come late by as much as that does. */
  public static Heartbeats ticking(TimeSource time, Scheduler scheduler, RenewalLog log, Duration maxInterval) {
    DueQueue due = new DueQueue(time, scheduler);
    return new Heartbeats(time, due, log, maxInterval, due::beginDue);
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
  public Keeper keep(Tenure tenure, String path, Actor actor, Renewal renewal, HeartbeatListener listener) {
    Keeper keeper = new Keeper(new HeldLease(tenure, path, actor, log, time), renewal, listener, scheduler, time,
        maxInterval, punctuality);
    keeper.start();
    return keeper;
  }

  /** How long what is ended under a tenure may take, to be killed before the tenure's time is over; no longer than {@code most}. */
  public Duration graceWithin(Tenure tenure, Duration most) {
    long left = Math.max(0, (tenure.deadlineNanos() - time.nanos()) * 3 / 4);
    return most.toNanos() < left ? most : Duration.ofNanos(left);
  }

  /** Between two renewals, and between two looks at anything that proves life, at most. */
  public Duration maxInterval() {
    return maxInterval;
  }

  /** How late the beats of all these leases have come. */
  public Punctuality punctuality() {
    return punctuality;
  }
}
