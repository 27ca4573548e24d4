package fleet.tower.service.web;

import java.util.OptionalLong;

import org.springframework.http.HttpStatus;

import fleet.tower.cli.reply.ErrorCode;
import fleet.tower.cli.reply.ForeignLockJson;
import fleet.tower.cli.reply.ForeignLockText;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Run;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.web.http.Problem;
import fleet.tower.service.web.http.Problems;
import fleet.tower.service.web.intent.IntentProblems;

/** Why a run was not begun, or cannot be found or stopped, as HTTP. */
final class RunProblems {
  private static final String SECONDS_UNTIL_ROOM = LockProblems.SECONDS_UNTIL_ROOM;

  private RunProblems() {}

  /** A request for a run of an intent that was let at nothing. */
  static Problem of(SubmitOutcome.Rejected why, String intent) {
    return switch (why) {
      case SubmitOutcome.UnknownIntent unknown -> IntentProblems.of(unknown);
      case SubmitOutcome.InvalidParams invalid -> IntentProblems.of(invalid, intent);
      case SubmitOutcome.InvalidLockName(String problem) ->
        IntentProblems.look(intent,
            Problem.of(ErrorCode.INVALID_LOCK_NAME, problem, "correct the parameters that the name is made of"));
      case SubmitOutcome.Refused(LeaseName lock, Decision.Refusal refusal) -> LockProblems.refused(lock, refusal,
          new LockProblems.Again("/intents/" + intent, "tower run " + intent));
      case SubmitOutcome.Foreign(ForeignLock.Refusal refusal) -> foreign(Problem.ofAnswer(ErrorCode.FOREIGN_LOCK,
          ForeignLockText.sentence(refusal), ForeignLockJson.refusal(refusal)), intent, refusal.name().toString());
      case SubmitOutcome.Mismatch(RequestId id) -> Problem.of(ErrorCode.IDEMPOTENCY_MISMATCH,
          "this request_id or Idempotency-Key came before with another body, caller or intent",
          JsonWriter.line().put("request_id", id.value()).put("suggestion",
              "send the first body again to get its run, or use a new id or key"))
          .next("GET", "/runs/" + id, "tower runs " + id, "see the run that came of it");
      case SubmitOutcome.Unavailable(String problem) -> Problems.storage(problem);
      case SubmitOutcome.TooMany(int limit) -> Problem.of(ErrorCode.TOO_MANY_RUNS,
          "this service has " + limit + " runs at work or waiting for their locks, and takes no more",
          JsonWriter.line().put("limit", limit).put("suggestion",
              "ask again in a moment, or with \"queue\": true, to be taken when there is room"))
          .header("Retry-After", SECONDS_UNTIL_ROOM)
          .next("GET", "/runs?status=running", "tower runs --status running", "see what is at work");
      case SubmitOutcome.Closing() -> Problems.closing("no run is begun");
    };
  }

  private static Problem foreign(Problem problem, String intent, String name) {
    return problem.next("POST", "/intents/" + intent + "/plan", "tower why " + name,
        "see how it stands, and who has it");
  }

  static Problem unknownRun(RequestId id) {
    return Problem.of(ErrorCode.RUN_NOT_FOUND, "there is no run " + id,
        JsonWriter.line().put("request_id", id.value()).put("suggestion",
            "see GET /runs"))
        .next("GET", "/runs", "tower runs", "see the newest runs");
  }

  /** It has ended before anybody could stop it. */
  static Problem finished(RequestId id) {
    return finished(id, "so there is nothing to stop");
  }

  /** It has ended, so that a beat is of no use to it. */
  static Problem tooLate(RequestId id) {
    return finished(id, "so it needs no beats");
  }

  private static Problem finished(RequestId id, String consequence) {
    return Problem.of(ErrorCode.RUN_FINISHED, "run " + id + " has finished, " + consequence,
        JsonWriter.line().put("request_id", id.value()).put("suggestion",
            "see how it ended"))
        .next("GET", "/runs/" + id, "tower runs " + id, "see how it ended");
  }

  /** Another process of the home is at it. */
  static Problem elsewhere(RequestId id, OptionalLong pid) {
    JsonWriter members = JsonWriter.line().put("request_id", id.value());
    pid.ifPresent(number -> members.put("pid", number));
    return Problem.of(ErrorCode.RUN_ELSEWHERE, "run " + id + " is executed by another process of this home"
        + (pid.isPresent() ? ", " + pid.getAsLong() : ""),
        members.put("suggestion", "press Ctrl-C where it was started, or say `tower cancel " + id
            + "` on the service's host, without --server"))
        .next("GET", "/runs/" + id, "tower runs " + id, "see how it stands");
  }

  /** A run that had waited and did not get its lock; {@code refusal} is what was kept of why. */
  static Problem refused(Run run, String refusal) {
    JsonObject kept;
    try {
      kept = JsonReader.readObject(refusal);
    } catch (JsonException e) {
      throw new IllegalStateException("the refusal of run " + run.requestId() + " is no JSON: " + e.getMessage(), e);
    }
    JsonWriter members = JsonWriter.line();
    kept.members().forEach((name, value) -> members.raw(name, kept.raw(value)));
    members.put("request_id", run.requestId().value());
    String error = kept.text("error").orElse("");
    if (error.equals(ErrorCode.FOREIGN_LOCK.code())) {
      String name = kept.text("foreign_lock").orElse("");
      return foreign(Problem.of(HttpStatus.CONFLICT, "foreign lock " + name
          + " was in the way after the run had waited for its own" + kept.text("holder").map(by -> ": held by " + by)
              .orElse(""),
          members), run.header().subject().intent(), name);
    }
    if (error.equals("intent_changed")) {
      return IntentProblems.look(run.header().subject().intent(), Problem.of(HttpStatus.CONFLICT,
          "the intent has changed since the run was queued: " + kept.text("problem").orElse(""), members));
    }
    String lock = kept.text("lock_name").orElse("");
    Problem problem = switch (error) {
      case "lock_wait_timeout" -> Problem.of(HttpStatus.CONFLICT,
          "lock " + lock + " was not free within the time that the run was ready to wait", members);
      case "too_many_waiters" -> Problem.of(HttpStatus.TOO_MANY_REQUESTS,
          "as many as may wait for lock " + lock + " already", members).header("Retry-After", SECONDS_UNTIL_ROOM);
      case "storage_unavailable" -> Problem.of(HttpStatus.SERVICE_UNAVAILABLE,
          "lock " + lock + " could not be taken: " + kept.text("problem").orElse("its place does not work"), members);
      default -> Problem.of(HttpStatus.CONFLICT,
          "lock " + lock + " was not to be had any more after the run had waited: " + error, members);
    };
    return problem.next("GET", "/locks/" + lock, "tower why " + lock, "see who holds it, and until when");
  }
}
