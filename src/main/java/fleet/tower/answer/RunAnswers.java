package fleet.tower.answer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Places;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.intent.Catalogue.Complaint;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.Ask;
import fleet.tower.operation.OutputSearch;
import fleet.tower.operation.Preference;
import fleet.tower.operation.RunCallOutcome;
import fleet.tower.operation.RunCallOutcome.Chosen;
import fleet.tower.operation.RunCallOutcome.Seen;
import fleet.tower.operation.RunOperations;
import fleet.tower.operation.StepOutput;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Nearest;
import fleet.tower.policy.Quota;
import fleet.tower.run.Observation;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunRefusalJson;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.run.submit.Plan;
import fleet.tower.run.submit.Settlements;
import fleet.tower.run.submit.SubmitOutcome;

/** What came of requests about intents and runs, as answers. */
public final class RunAnswers {
  private static final int CONFLICT = ErrorCode.LOCK_BLOCKED.status();
  private static final String APPLIED = "Preference-Applied";

  private RunAnswers() {}

  /** The answer to a request. */
  static Answer of(RunCallOutcome outcome, @Nullable LockEstimates estimates, Instant now) {
    return switch (outcome) {
      case RunCallOutcome.Intents(List<Intent> all, List<Complaint> complaints, Caller caller) -> Answer.ok(
          JsonWriter.line().list("intents", all.stream().map(intent -> shown(intent, caller).end()).toList())
              .list("complaints", complaints.stream().map(it -> IntentJson.complaint(it).end()).toList()));
      case RunCallOutcome.OneIntent(Intent intent, Caller caller) -> Answer.ok(shown(intent, caller));
      case RunCallOutcome.Planned(Plan plan) -> Answer.ok(PlanJson.plan(plan));
      case RunCallOutcome.Refused refused -> refused(refused, estimates, now);
      case RunCallOutcome.Submitted submitted -> submitted(submitted, estimates);
      case RunCallOutcome.Listed(var page, var rows) -> new Answer.Listing("runs", JsonWriter.line(), page,
          reader -> rows.read(row -> reader.test(row.as(RunJson::summary))));
      case RunCallOutcome.Viewed(Seen seen, Preference preference) -> {
        JsonWriter json = json(seen, estimates);
        seen.waiting().ifPresent(wait -> json.put("waiting", RunWaitJson.of(wait)));
        yield new Answer.Done(Answer.OK, applied(preference), RunJson.withParams(json, seen.run()),
            remedies(seen.run()));
      }
      case RunCallOutcome.Cancelling(Seen seen) ->
        new Answer.Done(Answer.ACCEPTED, location(seen.run()), json(seen, estimates), remedies(seen.run()));
      case RunCallOutcome.Looked(String intent, Observation seen, String desired) ->
        Answer.ok(JsonWriter.line().put("intent", intent).members(ProbeJson.of(seen, desired)));
      case RunCallOutcome.NoProbe(String intent) -> noProbe(intent);
      case RunCallOutcome.Settled(Settlements.Answered answered) -> Answer.ok(settled(answered));
      case RunCallOutcome.EndKnown(Run run) -> run.status().isFinished()
          ? ended(run.requestId(), RunText.ended(run) + ", so there is nothing to settle")
          : Problem.of(ErrorCode.RUN_ACTIVE, "run " + run.requestId() + " has not ended, so there is nothing to settle",
              "wait for its end, or cancel it").with("request_id", run.requestId().value());
      case RunCallOutcome.Beaten(RequestId id, boolean isNeeded) -> Answer.ok(RunJson.beat(id, isNeeded));
      case RunCallOutcome.Ended(Run run) ->
        ended(run.requestId(), RunText.ended(run) + ", so there is nothing to cancel");
      case RunCallOutcome.TooLate(RequestId id) -> ended(id, "has finished, so it needs no progress reports");
      case RunCallOutcome.NotFound(RequestId id) -> notFound(id);
      case RunCallOutcome.Lines(Chosen of, StepOutput.Window window) -> Answer.ok(noted(chosen(of)
          .put("size", of.output().size()).put("offset", window.offset()).put("next", window.next())
          .put("finished", of.output().isComplete())
          .list("lines", window.lines().stream().map(RunAnswers::line).toList()), of));
      case RunCallOutcome.Matches(Chosen of, String text, OutputSearch.Found found) -> {
        JsonWriter json = chosen(of).put("q", text).put("size", of.output().size()).list("matches",
            found.matches().stream().map(line -> located(line).end()).toList());
        Long next = found.next();
        yield Answer.ok(noted(next == null ? json.raw("next", "null") : json.put("next", next), of));
      }
      case RunCallOutcome.NoStep(String name, List<String> known) -> noStep(name, known);
      case RunCallOutcome.BeyondEnd(String member, long position, long size) -> invalid(member, "'" + member + "' "
          + position + " is beyond the end of the output, which has " + size + " bytes",
          "use a position from 0 to " + size);
      case RunCallOutcome.BothEnds() -> invalid("before", "'offset' and 'before' exclude each other",
          "give 'offset' to continue from there, or 'before' to read what precedes it");
    };
  }

  private static Problem noProbe(String intent) {
    return Problem.of(ErrorCode.NO_PROBE, "intent " + intent + " has no probe, so nothing here can look",
        "add spec.probe to the intent, a command that prints the state as JSON").with("intent", intent);
  }

  private static JsonWriter settled(Settlements.Answered answered) {
    Run run = answered.run();
    JsonWriter json = JsonWriter.line().put("request_id", run.requestId().value()).put("intent", run.intent())
        .put("status", run.status().toString()).put("settled", answered.settled().toString());
    if (answered.why() != null) {
      json.put("unknown", answered.why());
    }
    if (answered.seen() instanceof Observation.Seen seen) {
      json.members(seen.json());
    }
    return json.put("lock_name", run.header().lockName() == null ? null : run.header().lockName().value())
        .put("lock_released", answered.isReleased());
  }

  private static JsonWriter shown(Intent intent, Caller caller) {
    return IntentJson.intent(intent).put("allowed", caller.mayRun(intent.name()));
  }

  /** The run does not have a step. */
  public static Problem noStep(String name, List<String> known) {
    return invalid("step", "the run has no step " + InvalidValue.shown(name), Nearest.of(name, known)
        .map(near -> "did you mean " + near + "?").orElse("use one of " + String.join(", ", known)));
  }

  private static Problem invalid(String member, String detail, String suggestion) {
    return Problem.of(ErrorCode.INVALID_REQUEST, detail, suggestion).with("member", member);
  }

  private static Map<String, String> applied(Preference preference) {
    return preference.applied().isEmpty() ? Map.of() : Map.of(APPLIED, preference.applied());
  }

  private static Map<String, String> location(Run run) {
    return Map.of("Location", new Ask(RunOperations.VIEW, RunOperations.of(run.requestId())).path());
  }

  private static Answer submitted(RunCallOutcome.Submitted submitted, @Nullable LockEstimates estimates) {
    Seen seen = submitted.seen();
    Run run = seen.run();
    Map<String, String> headers = new LinkedHashMap<>(applied(submitted.preference()));
    if (submitted.isReplay()) {
      headers.put("Idempotency-Replayed", "true");
    }
    if (submitted.preference().isAsync() || !run.status().isFinished()) {
      headers.putAll(location(run));
      return new Answer.Done(Answer.ACCEPTED, headers, json(seen, estimates), remedies(run));
    }
    if (run.refusal() != null) {
      Problem problem = refused(run, run.refusal(), estimates);
      headers.forEach(problem::header);
      return problem;
    }
    return new Answer.Done(Answer.OK, headers, json(seen, estimates), remedies(run));
  }

  /** The run, with the end of each step's output. */
  public static JsonWriter json(Seen seen, @Nullable LockEstimates estimates) {
    Run run = seen.run();
    JsonWriter json = RunJson.run(run, step -> tail(seen, step));
    if (run.lock() != null && run.lock().heartbeat() == Controls.Heartbeat.PROGRESS
        && run.status() == RunStatus.RUNNING) {
      seen.handle().lastProgress().ifPresent(at -> json.put("last_progress_at", at));
    }
    seen.before().ifPresent(before -> json.put("position", before + 1));
    if (estimates != null) {
      estimates.of(run, seen.handle()).ifPresent(estimate -> estimate.addSecondsTo(json));
    }
    return json;
  }

  private static String tail(Seen seen, StepRecord step) {
    try {
      return seen.logs().tail(seen.run(), step);
    } catch (StorageException e) {
      // The result matters more than the output.
      return "(" + e.publicMessage() + ")";
    }
  }

  /** What the reader of a run may do next, best first. */
  public static List<Remedy> remedies(Run run) {
    return switch (run.status()) {
      case AWAITING_APPROVAL, WAITING, RUNNING -> Remedies.unfinished(run);
      case INTERRUPTED -> afterInterruption(run);
      case SUCCEEDED, FAILED, CANCELLED, TIMED_OUT, LOCK_LOST, REFUSED -> List.of();
    };
  }

  /** An interrupted run needs inspection, because its progress is unknown. */
  private static List<Remedy> afterInterruption(Run run) {
    String intent = run.intent();
    List<Remedy> remedies = new ArrayList<>();
    if (run.probed().before() != null && run.probed().settled() == null) {
      remedies.add(Remedies.settle(run));
    }
    if (run.lock() != null) {
      remedies.add(Remedies.look(run.lock().name()));
    }
    remedies.add(Remedies.parameters(intent));
    remedies.add(Remedy.advice("run " + intent + " again once you know how far it got"));
    return remedies;
  }

  private static JsonWriter chosen(Chosen chosen) {
    return JsonWriter.line().put("request_id", chosen.run().requestId().value())
        .put("step", Optional.ofNullable(chosen.step()).map(StepRecord::logName).orElse(null));
  }

  private static JsonWriter noted(JsonWriter json, Chosen chosen) {
    StepRecord step = chosen.step();
    if (step == null || !step.hasBegun()) {
      return json.put("note", (step == null ? "no step has begun" : "step " + step.logName() + " has not begun")
          + "; the run is " + chosen.run().status());
    }
    chosen.missing().ifPresent(missing -> (missing.isLost() ? json.put("lost", true) : json).put("note",
        missing.note()));
    return json;
  }

  private static String line(StepOutput.Line line) {
    JsonWriter json = located(line);
    if (line.isCut()) {
      json.put("cut", true);
    }
    return (line.isOpen() ? json.put("open", true) : json).end();
  }

  private static JsonWriter located(StepOutput.Line line) {
    return JsonWriter.line().put("offset", line.offset()).put("text", line.text());
  }

  /** A refused request for a run or a plan; nothing was started. */
  public static Problem refused(RunCallOutcome.Refused refused, @Nullable LockEstimates estimates, Instant now) {
    SubmitOutcome.Refusal why = refused.why();
    String intent = refused.intent();
    if (why instanceof SubmitOutcome.UnknownIntent && !refused.mistakes().isEmpty()) {
      List<String> mistakes = refused.mistakes().stream().map(Complaint::toString).toList();
      List<Remedy> remedies = new ArrayList<>(List.of(Remedy.command(null, "tower validate", "see what to fix")));
      remedies.addAll(Remedies.of(ErrorCode.INTENT_NOT_FOUND));
      return Problem.of(ErrorCode.INTENT_NOT_FOUND, "intent " + intent + " cannot run until its file is fixed: "
          + String.join("; ", mistakes),
          JsonWriter.line().put("intent", intent).list("closest", List.of())
              .list("errors",
                  mistakes.stream().map(mistake -> JsonWriter.line().put("message", mistake).end()).toList())
              .put("suggestion", "correct it and try again"))
          .next(remedies);
    }
    return problem(refused, estimates, now).next(Remedies.of(why, intent, refused.accepts(), now));
  }

  /** The same, whenever the request was refused. */
  public static Problem refused(RunCallOutcome.Refused refused) {
    return problem(refused, null, Instant.EPOCH)
        .next(Remedies.of(refused.why(), refused.intent(), refused.accepts()));
  }

  private static Problem problem(RunCallOutcome.Refused refused, @Nullable LockEstimates estimates, Instant now) {
    return switch (refused.why()) {
      case SubmitOutcome.UnknownIntent unknown -> IntentProblems.of(unknown, refused.accepts());
      case SubmitOutcome.InvalidParams invalid -> IntentProblems.of(invalid, refused.intent());
      case SubmitOutcome.InvalidLockName(String problem) ->
        Problem.of(ErrorCode.INVALID_LOCK_NAME, problem, "correct the parameters that the name is built from");
      case SubmitOutcome.Barred(Decision.Barred barred) -> LockAnswers.retry(
          CommonProblems.barred("intent " + refused.intent(), barred), barred, now);
      case SubmitOutcome.NotAllowed(var notAllowed) -> IntentProblems.of(notAllowed);
      case SubmitOutcome.OverQuota(Quota.Exceeded quota) -> overQuota(quota, now);
      case SubmitOutcome.OwnRefused(LeaseName lock, Decision.Refusal refusal) ->
        LockAnswers.refused(lock, refusal, estimates, now);
      case SubmitOutcome.ForeignRefused(ForeignLock.Refusal refusal) -> ForeignLockText.problem(refusal);
      case SubmitOutcome.Mismatch(RequestId id) -> Problem.of(ErrorCode.IDEMPOTENCY_MISMATCH,
          "this request_id or Idempotency-Key was used before with another body, caller or intent",
          JsonWriter.line().put("request_id", id.value()).put("suggestion",
              "repeat the original body to get its run, or use a new id or key"));
      case SubmitOutcome.PlanChanged(var change) -> Problem.ofAnswer(ErrorCode.PLAN_CHANGED,
          PlanChange.sentence(change, refused.intent()), RunRefusalJson.write(change));
      case SubmitOutcome.Unavailable(ErrorCode code, String problem) -> CommonProblems.storage(code, problem);
      case SubmitOutcome.TooMany(Places.NoPlace none) -> Problem.of(ErrorCode.TOO_MANY_RUNS, tooMany(none),
          JsonWriter.line().put("limit", none.most()).put("suggestion",
              "try again in a moment, or queue it, to start when there is room"))
          .header("Retry-After", CommonProblems.SECONDS_UNTIL_ROOM);
      case SubmitOutcome.Closing() -> CommonProblems.closing("no new run is started");
    };
  }

  private static Problem overQuota(Quota.Exceeded quota, Instant now) {
    Instant known = quota.retryAt();
    Instant room = known == null ? CommonProblems.untilRoom(now) : known;
    Duration within = quota.within();
    JsonWriter json = JsonWriter.line().put("quota", quota.quota()).put("limit", quota.most());
    if (within != null) {
      json.put("within_seconds", within.toSeconds());
    }
    json.put("retry_at", room);
    long seconds = Math.max(1, Duration.between(now, room).plusMillis(999).toSeconds());
    return Problem.of(ErrorCode.QUOTA_EXCEEDED, "the quota " + quota.quota() + " allows " + quota.describe(),
        json.put("suggestion", within == null ? "try again when one of them has ended" : "try again at that time"))
        .header("Retry-After", Long.toString(seconds));
  }

  private static String tooMany(Places.NoPlace none) {
    return switch (none.bound()) {
      case ALL -> none.most() + " runs are active or waiting for their locks here, and no more are accepted";
      case UNRESERVED -> none.most()
          + " runs are active or waiting for their locks here, and more are accepted only from operators";
      case SHARE -> "you have as many runs that are active or waiting for their locks as one caller may have: "
          + none.most() + "; tower.callers.max-share sets the share of a caller";
    };
  }

  /** There is no such run. */
  public static Problem notFound(RequestId id) {
    return Problem.of(ErrorCode.RUN_NOT_FOUND, "there is no run " + id,
        JsonWriter.line().put("request_id", id.value()).put("suggestion", "list the runs"))
        .next(Remedies.of(ErrorCode.RUN_NOT_FOUND));
  }

  private static Problem ended(RequestId id, String words) {
    return Problem.of(ErrorCode.RUN_FINISHED, "run " + id + " " + words,
        JsonWriter.line().put("request_id", id.value()).put("suggestion", "see how it ended"))
        .next(List.of(Remedies.see(id, "see how it ended")));
  }

  /** A run that was refused after it had waited for its lock or in the queue; none of its steps began. */
  public static Problem refused(Run run, RunRefusal refusal, @Nullable LockEstimates estimates) {
    ErrorCode code = refusal.code();
    Problem problem = Problem.of(code == null ? CONFLICT : code.status(), "nothing was run: " + reason(run, refusal),
        RunRefusalJson.write(refusal).put("request_id", run.requestId().value()));
    if (refusal instanceof RunRefusal.TooManyWaiters) {
      problem.header("Retry-After", CommonProblems.SECONDS_UNTIL_ROOM);
    } else if (refusal instanceof RunRefusal.StorageUnavailable) {
      CommonProblems.soon(problem).suggestingToAgents(CommonProblems.EXAMINE);
    }
    if (estimates != null) {
      estimates.of(refusal).ifPresent(problem::expecting);
    }
    if (refusal instanceof RunRefusal.ByRules rules) {
      problem.suggestingToAgents(rules.kind().suggestionToAgents());
    }
    return problem.next(Remedies.of(refusal, run));
  }

  private static String reason(Run run, RunRefusal refusal) {
    return switch (refusal) {
      case RunRefusal.ForeignLocked(ForeignLock.Refusal foreign) -> {
        String holder = foreign.why().holder();
        yield "foreign lock " + foreign.name() + " is in the way"
            + (holder != null
                ? ", held by " + holder
                : foreign.why() instanceof ForeignLockState.Doubtful(String problem, var _) ? ": " + problem : "");
      }
      case RunRefusal.IntentChanged(String _, String why) -> "intent " + run.intent()
          + " has changed since the run was requested: " + why;
      case RunRefusal.OfApproval approval -> approval.text();
      case RunRefusal.NotAllowed notAllowed -> notAllowed.text();
      case RunRefusal.PlanChanged change -> PlanChange.sentence(change, run.intent());
      case RunRefusal.Barred(Decision.Barred why) -> "intent " + run.intent() + " is " + LockText.describe(why);
      case RunRefusal.OfLock own -> "lock " + own.lock() + reason(own);
      case RunRefusal.Unrecognized(String error, JsonObject _) -> "the run was refused (" + error + ")";
    };
  }

  private static String reason(RunRefusal.OfLock refusal) {
    return switch (refusal) {
      case RunRefusal.TimedOut(RunRefusal.Blocked blocked) -> " was not free in time" + heldBy(blocked.holder());
      case RunRefusal.TimedOut(RunRefusal.Frozen _) -> " was not free in time";
      case RunRefusal.Stale stale -> " is stale" + heldBy(stale.holder());
      case RunRefusal.TooManyWaiters _ -> " has the maximum number of waiting runs";
      case RunRefusal.Blocked(LeaseName _, RunRefusal.LockHolder holder) -> " was refused ("
          + RunRefusalJson.error(refusal) + ")" + heldBy(holder);
      case RunRefusal.StorageUnavailable(LeaseName _, String problem) -> " could not be acquired: " + problem;
      case RunRefusal.Frozen _,RunRefusal.Unusable _ -> " was refused (" + RunRefusalJson.error(refusal) + ")";
    };
  }

  private static String heldBy(RunRefusal.LockHolder holder) {
    return ", held by " + Lease.describeHolder(holder.actor(), holder.hostId(), holder.intent(), holder.requestId());
  }
}
