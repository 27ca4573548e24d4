package fleet.tower.run.submit;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.foreign.ProtocolLines;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Door;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.RefusalKind;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.Run;
import fleet.tower.run.RunListener;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;

/**
 * Runs intents by their schedules.
 *
 * <p>The id of a scheduled run consists of the intent and its due time, so only one of the executors that share a home
 * runs it. Times that pass while no executor is running are not made up for. An intent that is still running, or whose
 * lock cannot be taken, is skipped, so that runs do not pile up. Other tools' locks are checked each time. The audit
 * log records a skip once, until its cause changes; a cause that does not end without intervention is reported to the
 * listener at every check.
 */
public final class Schedules {
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final String STILL_RUNNING = "still_running";
  private static final String REPAIR_DOES_NOT_HOLD = "repair_does_not_hold";
  private static final Actor ACTOR = new Actor("schedule", Door.SCHEDULE);

  private final Catalogue catalogue;
  private final Runs runs;
  private final AuditLog audit;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Consumer<String> log;
  private final RunListener listener;
  private final Map<String, Last> last = new ConcurrentHashMap<>();
  /** The skips of each intent since its last run. */
  private final Map<String, Skips> skips = new ConcurrentHashMap<>();
  /** The intents that look now whether they have anything to do. */
  private final Map<String, Thread> looking = new ConcurrentHashMap<>();
  private Instant looked;
  private Scheduler.@Nullable Pending next;

  /**
   * @param log receives the reason when an intent is skipped because of another tool
   * @param listener receives the number of times that each scheduled intent was blocked
   */
  public Schedules(Catalogue catalogue, Runs runs, AuditLog audit, TimeSource time, Scheduler scheduler,
      Consumer<String> log, RunListener listener) {
    this.listener = listener;
    this.catalogue = catalogue;
    this.runs = runs;
    this.audit = audit;
    this.time = time;
    this.scheduler = scheduler;
    this.log = log;
    this.looked = time.now();
  }

  /**
   * Why an intent is skipped.
   *
   * @param reason the error code that a caller would have received, {@value #STILL_RUNNING} or
   *     {@value #REPAIR_DOES_NOT_HOLD}
   * @param detail distinguishes causes with the same reason
   * @param isLasting whether it does not end without intervention
   */
  private record Cause(String reason, String detail, boolean isLasting) {
    Cause(ErrorCode code, String detail, boolean isLasting) {
      this(code.code(), detail, isLasting);
    }

    Cause(ErrorCode code) {
      this(code, "", false);
    }

    static Cause lasting(ErrorCode code) {
      return new Cause(code, "", true);
    }

    static Cause of(Decision.Refusal refusal) {
      Lease lease = refusal.lease();
      return new Cause(RefusalKind.of(refusal).code(), lease == null ? "" : lease.requestId().value(),
          refusal.holderIsGone() || !(refusal instanceof Decision.Obstacle));
    }
  }

  /**
   * The last run of an intent.
   *
   * @param isOwn whether this process executes it
   * @param isCounted whether its end is counted among the repairs
   */
  private record Last(RunHandle handle, boolean isOwn, boolean isCounted) {}

  /** The successive skips of an intent for one cause. */
  private record Skips(Cause cause, int times) {
    int blocked() {
      return cause.isLasting() ? times : 0;
    }
  }

  /** Checks for due intents once a second from now on. */
  public synchronized void start() {
    next = scheduler.after(BETWEEN_LOOKS, this::look);
  }

  /** Starts nothing more. */
  public void stop() {
    cancel();
    awaitLooks();
  }

  private synchronized void cancel() {
    if (next != null) {
      next.cancel();
      next = null;
    }
  }

  private synchronized void look() {
    if (next == null) {
      return;
    }
    try {
      runDue();
    } finally {
      next = scheduler.after(BETWEEN_LOOKS, this::look);
    }
  }

  private void runDue() {
    Instant from = looked;
    // A clock that is set back must not make the same times due again.
    Instant now = time.now().isBefore(from) ? from : time.now();
    looked = now;
    Set<String> scheduled = new HashSet<>();
    for (Intent intent : catalogue.list()) {
      Intent.Schedule schedule = intent.schedule();
      if (schedule != null) {
        scheduled.add(intent.name());
        countRepair(intent);
        schedule.after(from).filter(due -> !due.isAfter(now)).ifPresent(due -> begin(intent, due));
        Skips skipped = skips.get(intent.name());
        listener.scheduled(intent.name(), skipped == null ? 0 : skipped.blocked(), intent.restoresDesired()
            ? runs.drifts().since(intent.name()).isPresent()
            : null);
      }
    }
    for (String removed : skips.keySet().stream().filter(name -> !scheduled.contains(name)).toList()) {
      skips.remove(removed);
      listener.scheduled(removed, 0, null);
    }
  }

  /** A look takes a while, and must not delay other intents; one that goes on keeps the next from beginning. */
  private void begin(Intent intent, Instant due) {
    if (!intent.restoresDesired()) {
      run(intent, due);
    } else if (runs.drifts().isPaused(intent.name())) {
      skip(id(intent, due), intent, null, new Cause(REPAIR_DOES_NOT_HOLD, "", true));
    } else {
      Thread look = Thread.ofVirtual().name("tower-schedule").unstarted(() -> {
        try {
          run(intent, due);
        } catch (RuntimeException e) {
          log.accept("intent " + intent.name() + " could not be run by its schedule: " + e.getMessage());
        } finally {
          looking.remove(intent.name());
        }
      });
      if (looking.putIfAbsent(intent.name(), look) == null) {
        look.start();
      }
    }
  }

  /** Waits for the looks that go on; each has a time limit. */
  void awaitLooks() {
    try {
      for (Thread look : looking.values()) {
        look.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void countRepair(Intent intent) {
    Last run = last.get(intent.name());
    if (intent.restoresDesired() && run != null && !run.isCounted() && run.handle().run().status().isFinished()) {
      last.put(intent.name(), new Last(run.handle(), run.isOwn(), true));
      runs.drifts().ended(run.handle().run(), run.isOwn());
    }
  }

  private void run(Intent intent, Instant due) {
    RequestId id = id(intent, due);
    Last before = last.get(intent.name());
    if (before != null && !before.handle().run().status().isFinished()) {
      skip(id, intent, null, new Cause(STILL_RUNNING, before.handle().run().requestId().value(), false));
      return;
    }
    SubmitOutcome outcome = runs.submit(new RunRequest(intent.name(), Map.of(), id, null,
        new Run.Origin(ACTOR, "{}", null), LockTerms.PLAIN, null, null));
    switch (outcome) {
      case SubmitOutcome.Accepted(RunHandle handle, boolean isReplay) -> {
        skips.remove(intent.name());
        last.put(intent.name(), new Last(handle, !isReplay, false));
      }
      case SubmitOutcome.Barred(var barred) -> skip(id, intent, null, Cause.of(barred));
      case SubmitOutcome.NotAllowed _ -> skip(id, intent, null, Cause.lasting(ErrorCode.PARAMS_NOT_ALLOWED));
      case SubmitOutcome.OverQuota _ -> skip(id, intent, null, new Cause(ErrorCode.QUOTA_EXCEEDED));
      case SubmitOutcome.OwnRefused(var lock, var refusal) -> skip(id, intent, lock, Cause.of(refusal));
      case SubmitOutcome.ForeignRefused(var refusal) -> {
        String sentence = ProtocolLines.skipping(refusal);
        if (skip(id, intent, null, new Cause(ErrorCode.FOREIGN_LOCK, sentence, false))) {
          log.accept("intent " + intent.name() + ": " + sentence);
        }
      }
      case SubmitOutcome.UnknownIntent _ -> skip(id, intent, null, new Cause(ErrorCode.INTENT_NOT_FOUND));
      case SubmitOutcome.InvalidParams _ -> skip(id, intent, null, Cause.lasting(ErrorCode.INVALID_PARAMS));
      case SubmitOutcome.InvalidLockName _ -> skip(id, intent, null, Cause.lasting(ErrorCode.INVALID_LOCK_NAME));
      case SubmitOutcome.Mismatch _ -> skip(id, intent, null, new Cause(ErrorCode.IDEMPOTENCY_MISMATCH));
      case SubmitOutcome.PlanChanged _ -> skip(id, intent, null, new Cause(ErrorCode.PLAN_CHANGED));
      case SubmitOutcome.Unavailable(ErrorCode code, String _) -> skip(id, intent, null, new Cause(code));
      case SubmitOutcome.TooMany _ -> skip(id, intent, null, new Cause(ErrorCode.TOO_MANY_RUNS));
      case SubmitOutcome.Closing() -> {
      }
    }
  }

  private static RequestId id(Intent intent, Instant due) {
    return new RequestId(shortened("schedule:" + intent.name()) + ":" + Timestamps.format(due));
  }

  /** Counts a skip, and audits it if its cause is new; returns whether it is. */
  private boolean skip(RequestId id, Intent intent, @Nullable LeaseName lock, Cause cause) {
    Skips before = skips.get(intent.name());
    int times = before != null && before.cause().equals(cause) ? before.times() + 1 : 1;
    boolean isNew = times == 1;
    skips.put(intent.name(), new Skips(cause, times));
    if (isNew) {
      audit.append(
          new AuditEvent.RunSkipped(id, time.now(), intent.name(), lock, cause.reason(), Origin.of(ACTOR)));
    }
    return isNew;
  }

  /** Shortens a prefix, so that a time can be appended. */
  private static String shortened(String id) {
    return Optional.of(id).filter(text -> text.length() <= 100).orElseGet(() -> id.substring(0, 100));
  }
}
