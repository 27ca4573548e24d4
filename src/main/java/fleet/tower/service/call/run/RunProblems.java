package fleet.tower.service.call.run;

import java.util.List;
import java.util.function.Predicate;

import fleet.tower.access.Places;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.ForeignLockJson;
import fleet.tower.answer.ForeignLockText;
import fleet.tower.answer.IntentProblems;
import fleet.tower.answer.LockAnswers;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.NextActions;
import fleet.tower.answer.PlanChange;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RunText;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunRefusalJson;
import fleet.tower.run.submit.SubmitOutcome;

/** Translates refusals about runs to problems. */
public final class RunProblems {
  private static final String SECONDS_UNTIL_ROOM = CommonProblems.SECONDS_UNTIL_ROOM;
  private static final int CONFLICT = ErrorCode.LOCK_BLOCKED.status();

  private RunProblems() {}

  /**
   * A rejected request for a run; nothing was started.
   *
   * @param accepts whether an intent accepts the parameters of the request
   */
  static Problem of(SubmitOutcome.Rejected why, String intent, Predicate<String> accepts, LockEstimates estimates) {
    return problem(why, intent, accepts, estimates)
        .next(NextActions.of(why, intent, accepts, estimates.moment()));
  }

  private static Problem problem(SubmitOutcome.Rejected why, String intent, Predicate<String> accepts,
      LockEstimates estimates) {
    return switch (why) {
      case SubmitOutcome.UnknownIntent unknown -> IntentProblems.of(unknown, accepts);
      case SubmitOutcome.InvalidParams invalid -> IntentProblems.of(invalid, intent);
      case SubmitOutcome.InvalidLockName(String problem) ->
        Problem.of(ErrorCode.INVALID_LOCK_NAME, problem, "correct the parameters that the name is built from");
      case SubmitOutcome.Refused(LeaseName lock, Decision.Refusal refusal) ->
        LockAnswers.refused(lock, refusal, estimates, estimates.moment());
      case SubmitOutcome.Foreign(ForeignLock.Refusal refusal) -> Problem.ofAnswer(ErrorCode.FOREIGN_LOCK,
          ForeignLockText.sentence(refusal), ForeignLockJson.refusal(refusal));
      case SubmitOutcome.Mismatch(RequestId id) -> Problem.of(ErrorCode.IDEMPOTENCY_MISMATCH,
          "this request_id or Idempotency-Key was used before with another body, caller or intent",
          JsonWriter.line().put("request_id", id.value()).put("suggestion",
              "repeat the original body to get its run, or use a new id or key"));
      case SubmitOutcome.PlanChanged(var change) -> Problem.of(ErrorCode.PLAN_CHANGED.status(),
          PlanChange.sentence(change, intent), RunRefusalJson.write(change));
      case SubmitOutcome.Unavailable(ErrorCode code, String problem) -> CommonProblems.storage(code, problem);
      case SubmitOutcome.TooMany(Places.NoPlace none) -> Problem.of(ErrorCode.TOO_MANY_RUNS, tooMany(none),
          JsonWriter.line().put("limit", none.most()).put("suggestion",
              "try again in a moment, or with \"queue\": true, to start when there is room"))
          .header("Retry-After", SECONDS_UNTIL_ROOM);
      case SubmitOutcome.Closing() -> CommonProblems.closing("no new run is started");
    };
  }

  private static String tooMany(Places.NoPlace none) {
    return switch (none.bound()) {
      case ALL -> "this service has " + none.most()
          + " runs that are active or waiting for their locks, and accepts no more";
      case UNRESERVED -> "this service has " + none.most()
          + " runs that are active or waiting for their locks, and accepts more only from operators";
      case SHARE -> "you have as many runs that are active or waiting for their locks as one caller may have: "
          + none.most() + "; tower.callers.max-share sets the share of a caller";
    };
  }

  static Problem unknownRun(RequestId id) {
    return Problem.of(ErrorCode.RUN_NOT_FOUND, "there is no run " + id,
        JsonWriter.line().put("request_id", id.value()).put("suggestion",
            "see GET /runs"));
  }

  /** The run ended before it could be cancelled. */
  static Problem finished(Run run) {
    return finished(run.requestId(), RunText.ended(run) + ", so there is nothing to cancel");
  }

  /** The run has ended and needs no progress reports. */
  static Problem tooLate(RequestId id) {
    return finished(id, "has finished, so it needs no progress reports");
  }

  private static Problem finished(RequestId id, String words) {
    return Problem.of(ErrorCode.RUN_FINISHED, "run " + id + " " + words,
        JsonWriter.line().put("request_id", id.value()).put("suggestion",
            "see how it ended"))
        .next(List.of(NextActions.see(id, "see how it ended")));
  }

  /** A run that was refused after it had waited for its lock or in the queue. */
  static Problem refused(Run run, RunRefusal refusal, LockEstimates estimates) {
    JsonWriter members = RunRefusalJson.write(refusal).put("request_id", run.requestId().value());
    Problem problem = switch (refusal) {
      case RunRefusal.ForeignLocked(ForeignLock.Refusal foreign) -> {
        String holder = ForeignLockJson.holder(foreign.why());
        yield Problem.of(CONFLICT, "foreign lock " + foreign.name()
            + " was in the way after the run had waited for its own lock"
            + (holder == null ? "" : ": held by " + holder), members);
      }
      case RunRefusal.IntentChanged(String _, String why) -> Problem.of(CONFLICT,
          "the intent has changed since the run was queued: " + why, members);
      case RunRefusal.PlanChanged change -> Problem.of(ErrorCode.PLAN_CHANGED.status(),
          PlanChange.sentence(change, run.intent()), members);
      case RunRefusal.OfLock own -> refused(own, members);
      case RunRefusal.Unrecognized(String error, JsonObject _) -> Problem.of(CONFLICT,
          "the run was refused: " + error, members);
    };
    estimates.of(refusal).ifPresent(problem::expecting);
    if (refusal instanceof RunRefusal.ByRules rules) {
      problem.suggestingToAgents(rules.kind().suggestionToAgents());
    }
    return problem.next(NextActions.of(refusal, run));
  }

  private static Problem refused(RunRefusal.OfLock refusal, JsonWriter members) {
    String lock = "lock " + refusal.lock();
    return switch (refusal) {
      case RunRefusal.TimedOut _ -> Problem.of(CONFLICT,
          lock + " was not free within the run's wait limit", members);
      case RunRefusal.TooManyWaiters _ -> Problem.of(ErrorCode.TOO_MANY_WAITERS.status(),
          lock + " has the maximum number of waiting runs", members).header("Retry-After", SECONDS_UNTIL_ROOM);
      case RunRefusal.StorageUnavailable(LeaseName _, String problem) ->
        CommonProblems
            .soon(Problem.of(ErrorCode.STORAGE_UNAVAILABLE.status(), lock + " could not be acquired: " + problem,
                members));
      case RunRefusal.ByRules _ ->
        Problem.of(CONFLICT,
            lock + " could not be taken after the run had waited: " + RunRefusalJson.error(refusal), members);
    };
  }
}
