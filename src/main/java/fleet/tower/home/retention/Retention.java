package fleet.tower.home.retention;

import static java.util.Objects.requireNonNull;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditDays;
import fleet.tower.lease.Age;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Run;
import fleet.tower.run.RunOutputs;
import fleet.tower.run.RunStore;

/**
 * Throws away what is older than it has to be kept.
 *
 * <ol>
 * <li>A run that finished so long ago: first what it printed, then its record. Who dies in between leaves a record, which goes
 * the next time. One that has not finished is never touched.
 * <li>What was printed by a run that there is no record of, and was not added to for so long.
 * <li>A day of the audit log, unless something that is not over began on it or before it: a lock that has not been released,
 * dead or alive, or a run that has not finished. Of a lock that cannot be read nobody knows when it was taken, so as long as
 * there is one all days are kept.
 * </ol>
 *
 * <p>Whoever does the same at the same time is no trouble. A wall clock that is far ahead makes everything old, as it does for
 * all who keep by age.
 */
public final class Retention {
  private static final int BATCH = 500;

  private final RunStore runs;
  private final RunOutputs outputs;
  private final AuditDays audit;
  private final Locks locks;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Ages ages;

  public Retention(RunStore runs, RunOutputs outputs, AuditDays audit, Locks locks, TimeSource time,
      Scheduler scheduler, Ages ages) {
    this.runs = requireNonNull(runs);
    this.outputs = requireNonNull(outputs);
    this.audit = requireNonNull(audit);
    this.locks = requireNonNull(locks);
    this.time = requireNonNull(time);
    this.scheduler = requireNonNull(scheduler);
    this.ages = requireNonNull(ages);
  }

  /** Says what would be thrown away now, and changes nothing. */
  public Removal look() {
    Instant runsUntil = runsUntil();
    List<RequestId> finished = ages.runs().isZero() ? List.of() : runs.finishedBefore(runsUntil, Integer.MAX_VALUE);
    Horizon horizon = horizon();
    return new Removal(finished.size(), strays(runsUntil).size(), daysBefore(horizon.day()), horizon.obstacle());
  }

  /**
   * Throws it away.
   *
   * @param pause after each piece, so that others come to the disk and the database too
   */
  public Removal sweep(Duration pause) {
    Instant runsUntil = runsUntil();
    int discarded = ages.runs().isZero() ? 0 : discardRuns(runsUntil, pause);
    List<RequestId> strays = strays(runsUntil);
    for (RequestId stray : strays) {
      outputs.remove(stray);
      scheduler.pause(pause);
    }
    Horizon horizon = horizon();
    List<LocalDate> days = daysBefore(horizon.day());
    for (LocalDate day : days) {
      reached(() -> audit.remove(day));
      scheduler.pause(pause);
    }
    return new Removal(discarded, strays.size(), days, horizon.obstacle());
  }

  private Instant runsUntil() {
    return time.now().minus(ages.runs());
  }

  private int discardRuns(Instant until, Duration pause) {
    int discarded = 0;
    for (;;) {
      int before = discarded;
      for (RequestId id : runs.finishedBefore(until, BATCH)) {
        outputs.remove(id);
        discarded += runs.discard(id, until) ? 1 : 0;
        scheduler.pause(pause);
      }
      // Also where somebody else was quicker with all of a batch: he has the next ones too.
      if (discarded == before) {
        return discarded;
      }
    }
  }

  private List<RequestId> strays(Instant until) {
    return ages.runs().isZero()
        ? List.of()
        : outputs.untouchedSince(until).stream().filter(id -> runs.find(id).isEmpty()).toList();
  }

  /**
   * Until when the audit log may go.
   *
   * @param day the first that is kept; null to keep all
   * @param obstacle what keeps days that are old enough; null for nothing
   */
  private record Horizon(@Nullable LocalDate day, @Nullable String obstacle) {

    /** The same, or an earlier one where something that is not over began earlier. */
    Horizon orEarlier(Instant began, String what) {
      LocalDate beganOn = LocalDate.ofInstant(began, ZoneOffset.UTC);
      return day != null && beganOn.isBefore(day) ? new Horizon(beganOn, what + " since " + beganOn) : this;
    }
  }

  private Horizon horizon() {
    if (ages.audit().isZero()) {
      return new Horizon(null, null);
    }
    Horizon horizon = new Horizon(LocalDate.ofInstant(time.now().minus(ages.audit()), ZoneOffset.UTC), null);
    for (LockView sighting : locks.list()) {
      switch (sighting.occupancy()) {
        case LeaseState.Vacant() -> {
        }
        case LeaseState.Held(Lease lease, Age _) -> horizon = horizon.orEarlier(lease.createdAt(),
            "lock " + sighting.name() + " has not been released");
        case LeaseState.Corrupt _,LeaseState.Unsupported _ -> {
          return new Horizon(null, "lock " + sighting.name() + " cannot be read");
        }
      }
    }
    for (RunStore.Unfinished unfinished : runs.unfinished()) {
      Run run = runs.find(unfinished.requestId()).orElse(null);
      if (run != null) {
        horizon = horizon.orEarlier(run.header().createdAt(), "run " + run.requestId() + " has not finished");
      }
    }
    return horizon;
  }

  private List<LocalDate> daysBefore(@Nullable LocalDate first) {
    List<LocalDate> days = new ArrayList<>();
    if (first != null) {
      reached(() -> days.addAll(audit.all().stream().filter(day -> day.isBefore(first)).toList()));
    }
    return days;
  }

  private static void reached(Runnable asking) {
    try {
      asking.run();
    } catch (UncheckedIOException e) {
      throw new StorageException("the audit log cannot be kept in order: " + e.getMessage(), e);
    }
  }
}
