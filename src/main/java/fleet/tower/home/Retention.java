package fleet.tower.home;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditDays;
import fleet.tower.lease.Age;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
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
 * Removes what is older than its retention time, and the oldest runs if there are too many.
 *
 * <ol>
 * <li>A run that finished long enough ago, or that is not among the newest ones: first its output, then its record. A
 * crash in between leaves the record to the next sweep. An unfinished run is never removed.
 * <li>An output without a run record, if nothing was added to it for long enough.
 * <li>A day of the audit log, unless something unfinished began on it or before: an unreleased lock, live or stale, or
 * an unfinished run. The start of an unreadable lock is unknown, so while there is one, all days are kept.
 * <li>The files of a lock name that was not used for long enough, but not its tokens.
 * </ol>
 *
 * <p>Concurrent sweeps are safe. A wall clock that is far ahead makes everything old, as in any retention by age.
 */
public final class Retention {
  private static final int BATCH = 500;
  /** How many lock names one sweep removes. */
  private static final int MOST_NAMES = 10_000;

  private final RunStore runs;
  private final RunOutputs outputs;
  private final AuditDays audit;
  private final Locks locks;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Limits limits;

  public Retention(RunStore runs, RunOutputs outputs, AuditDays audit, Locks locks, TimeSource time,
      Scheduler scheduler, Limits limits) {
    this.runs = runs;
    this.outputs = outputs;
    this.audit = audit;
    this.locks = locks;
    this.time = time;
    this.scheduler = scheduler;
    this.limits = limits;
  }

  /** What a sweep would remove now; changes nothing. */
  public Removal preview() {
    Instant runsUntil = runsUntil();
    Set<RequestId> finished = new HashSet<>(excess(Integer.MAX_VALUE));
    finished.addAll(old(runsUntil, Integer.MAX_VALUE));
    Horizon horizon = horizon();
    return new Removal(finished.size(), strays(runsUntil).size(), unusedNames().size(), daysBefore(horizon.day()),
        horizon.obstacle());
  }

  /**
   * Removes it.
   *
   * @param pause after each item, so that others can use the disk and the database
   */
  public Removal expire(Duration pause) {
    Instant runsUntil = runsUntil();
    int discarded = removeExcess(pause) + discardRuns(() -> old(runsUntil, BATCH), runsUntil, pause);
    List<RequestId> strays = strays(runsUntil);
    for (RequestId stray : strays) {
      outputs.remove(stray);
      scheduler.pause(pause);
    }
    Horizon horizon = horizon();
    List<LocalDate> days = daysBefore(horizon.day());
    for (LocalDate day : days) {
      translated(() -> audit.remove(day));
      scheduler.pause(pause);
    }
    return new Removal(discarded, strays.size(), forgetNames(pause), days, horizon.obstacle());
  }

  private Instant runsUntil() {
    return time.now().minus(limits.runs());
  }

  /** Removes the oldest runs if there are too many; returns how many. */
  int removeExcess(Duration pause) {
    return discardRuns(() -> excess(BATCH), time.now(), pause);
  }

  private List<RequestId> excess(int limit) {
    return limits.mostRuns() == 0 ? List.of() : runs.finishedBeyond(limits.mostRuns(), limit);
  }

  private List<RequestId> old(Instant until, int limit) {
    return limits.runs().isZero() ? List.of() : runs.finishedBefore(until, limit);
  }

  private int discardRuns(Supplier<List<RequestId>> batches, Instant until, Duration pause) {
    int discarded = 0;
    for (;;) {
      int before = discarded;
      for (RequestId id : batches.get()) {
        outputs.remove(id);
        discarded += runs.discard(id, until) ? 1 : 0;
        scheduler.pause(pause);
      }
      // Also ends if another process removed the complete batch: it will remove the next ones too.
      if (discarded == before) {
        return discarded;
      }
    }
  }

  private List<RequestId> strays(Instant until) {
    return limits.runs().isZero()
        ? List.of()
        : outputs.untouchedSince(until).stream().filter(id -> runs.find(id).isEmpty()).toList();
  }

  private List<LeaseName> unusedNames() {
    return limits.lockNames().isZero() ? List.of() : locks.unused(limits.lockNames(), MOST_NAMES);
  }

  private int forgetNames(Duration pause) {
    int forgotten = 0;
    for (LeaseName name : unusedNames()) {
      forgotten += locks.forget(name, limits.lockNames()) ? 1 : 0;
      scheduler.pause(pause);
    }
    return forgotten;
  }

  /**
   * The end of the removable part of the audit log.
   *
   * @param day the first day to keep; null to keep all
   *
   * @param obstacle why days that are old enough are kept, or null
   */
  private record Horizon(@Nullable LocalDate day, @Nullable String obstacle) {

    /** This horizon, or an earlier one if something unfinished began earlier. */
    Horizon orEarlier(Instant began, String what) {
      LocalDate beganOn = LocalDate.ofInstant(began, ZoneOffset.UTC);
      return day != null && beganOn.isBefore(day) ? new Horizon(beganOn, what + " since " + beganOn) : this;
    }
  }

  private Horizon horizon() {
    if (limits.audit().isZero()) {
      return new Horizon(null, null);
    }
    Horizon horizon = new Horizon(LocalDate.ofInstant(time.now().minus(limits.audit()), ZoneOffset.UTC), null);
    for (LockView lock : locks.list()) {
      switch (lock.leaseState()) {
        case LeaseState.Vacant() -> {
        }
        case LeaseState.Held(Lease lease, Age _) -> horizon = horizon.orEarlier(lease.createdAt(),
            "lock " + lock.name() + " has not been released");
        case LeaseState.Unusable _ -> {
          return new Horizon(null, "lock " + lock.name() + " cannot be read");
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
      translated(() -> days.addAll(audit.all().stream().filter(day -> day.isBefore(first)).toList()));
    }
    return days;
  }

  private static void translated(Runnable asking) {
    try {
      asking.run();
    } catch (UncheckedIOException e) {
      throw new StorageException("cannot remove old days of the audit log: " + e.getMessage(), e);
    }
  }

  /**
   * How much of the past is kept; zero keeps all of it.
   *
   * @param runs how long the record and the output of a run are kept, from its end
   *
   * @param mostRuns how many runs are kept, those that have not finished included
   *
   * @param audit how long the events of a day are kept, from its end
   *
   * @param lockNames how long the files of a lock name are kept, from its last use
   */
  public record Limits(Duration runs, int mostRuns, Duration audit, Duration lockNames) {
    public Limits {
      if (runs.isNegative() || mostRuns < 0 || audit.isNegative() || lockNames.isNegative()) {
        throw new IllegalStateException("a limit is negative: " + runs + ", " + mostRuns + ", " + audit + ", "
            + lockNames);
      }
    }
  }

  /**
   * What a retention sweep removed, or would remove.
   *
   * @param runs the number of run records
   *
   * @param outputs the number of outputs without a run record
   *
   * @param lockNames the number of unused lock names
   *
   * @param auditDays the days of the audit log
   *
   * @param auditKept why days were kept that are old enough; null if there are none
   */
  public record Removal(int runs, int outputs, int lockNames, List<LocalDate> auditDays, @Nullable String auditKept) {
    public Removal {
      auditDays = List.copyOf(auditDays);
    }

    public boolean isNothing() {
      return runs == 0 && outputs == 0 && lockNames == 0 && auditDays.isEmpty();
    }
  }
}
