package fleet.tower.heartbeat;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

import fleet.tower.audit.AuditLog;
import fleet.tower.lease.Tenure;
import fleet.tower.time.Scheduler;
import fleet.tower.time.TimeSource;

/** Starts keepers: they renew each lease thrice in its life, and no more rarely than {@code maxInterval}. */
public final class Heartbeats {
  public static final Duration DEFAULT_MAX_INTERVAL = Duration.ofSeconds(30);

  private final TimeSource time;
  private final Scheduler scheduler;
  private final AuditLog audit;
  private final Duration maxInterval;
  private final Punctuality punctuality = new Punctuality();

  public Heartbeats(TimeSource time, Scheduler scheduler, AuditLog audit, Duration maxInterval) {
    this.time = requireNonNull(time);
    this.scheduler = requireNonNull(scheduler);
    this.audit = requireNonNull(audit);
    this.maxInterval = requireNonNull(maxInterval);
  }

  /**
   * Renews a lease from now on until it is stopped or lost.
   *
   * @param path where a human finds the lease
   */
  public Keeper keep(Tenure tenure, String path, Renewal renewal, HeartbeatListener listener) {
    Keeper keeper = new Keeper(new HeldLease(tenure, path, audit, time), renewal, listener, scheduler, time,
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
