package fleet.tower.run.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.foreign.ProtocolLines;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Schedule;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunRefusalJson;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.Runs;
import fleet.tower.run.submit.SubmitOutcome;

/**
 * Runs intents by their schedules.
 *
 * <p>The id of a scheduled run consists of the intent and its due time, so only one of the executors that share a home runs it. Times
 * that pass while no executor is running are not made up for. An intent that is still running, or whose lock cannot be taken, is
 * skipped with an audit event, so that runs do not pile up. Other tools' locks are checked each time.
 */
public final class Schedules {
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final Actor ACTOR = new Actor("schedule", Door.SCHEDULE);

  private final Catalogue catalogue;
  private final Runs runs;
  private final AuditLog audit;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Consumer<String> log;
  private final Map<String, RunHandle> last = new ConcurrentHashMap<>();
  private Instant looked;
  private Scheduler.@Nullable Pending next;

  /** @param log receives the reason when an intent is skipped because of another tool */
  public Schedules(Catalogue catalogue, Runs runs, AuditLog audit, TimeSource time, Scheduler scheduler,
      Consumer<String> log) {
    this.catalogue = catalogue;
    this.runs = runs;
    this.audit = audit;
    this.time = time;
    this.scheduler = scheduler;
    this.log = log;
    this.looked = time.now();
  }

  /** Checks for due intents once a second from now on. */
  public synchronized void start() {
    next = scheduler.after(BETWEEN_LOOKS, this::look);
  }

  public synchronized void stop() {
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
    for (Intent intent : catalogue.list()) {
      Schedule schedule = intent.schedule();
      if (schedule != null) {
        schedule.after(from).filter(due -> !due.isAfter(now)).ifPresent(due -> run(intent, due));
      }
    }
  }

  private void run(Intent intent, Instant due) {
    RequestId id = new RequestId(shortened("schedule:" + intent.name()) + ":" + Timestamps.format(due));
    RunHandle before = last.get(intent.name());
    if (before != null && !before.run().status().isFinished()) {
      skip(id, intent, null, "still_running");
      return;
    }
    SubmitOutcome outcome = runs.submit(new RunRequest(intent.name(), Map.of(), id, null,
        new Run.Origin(ACTOR, "{}"), RunRequest.Terms.PLAIN));
    switch (outcome) {
      case SubmitOutcome.Accepted(RunHandle handle, boolean _) -> last.put(intent.name(), handle);
      case SubmitOutcome.Refused(var lock, var refusal) ->
        skip(id, intent, lock, RunRefusalJson.error(RunRefusal.of(lock, refusal)));
      case SubmitOutcome.Foreign(var refusal) -> {
        log.accept("intent " + intent.name() + ": " + ProtocolLines.skipping(refusal));
        skip(id, intent, null, "foreign_lock");
      }
      case SubmitOutcome.UnknownIntent _ -> skip(id, intent, null, "intent_not_found");
      case SubmitOutcome.InvalidParams _ -> skip(id, intent, null, "invalid_params");
      case SubmitOutcome.InvalidLockName _ -> skip(id, intent, null, "invalid_lock_name");
      case SubmitOutcome.Mismatch _ -> skip(id, intent, null, "idempotency_mismatch");
      case SubmitOutcome.Unavailable _ -> skip(id, intent, null, "storage_unavailable");
      case SubmitOutcome.TooMany _ -> skip(id, intent, null, "too_many_runs");
      case SubmitOutcome.Closing() -> {
      }
    }
  }

  private void skip(RequestId id, Intent intent, @Nullable LeaseName lock, String reason) {
    audit.append(new AuditEvent.RunSkipped(id, time.now(), intent.name(), lock, reason, Origin.of(ACTOR)));
  }

  /** Shortens a prefix, so that a time can be appended. */
  private static String shortened(String id) {
    return Optional.of(id).filter(text -> text.length() <= 100).orElseGet(() -> id.substring(0, 100));
  }
}
