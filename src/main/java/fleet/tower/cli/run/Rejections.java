package fleet.tower.cli.run;

import java.util.List;
import java.util.Map;

import fleet.tower.answer.Failures;
import fleet.tower.answer.ForeignLockText;
import fleet.tower.answer.LockAnswers;
import fleet.tower.answer.NextActions;
import fleet.tower.answer.NextStep;
import fleet.tower.answer.PlanChange;
import fleet.tower.answer.Reply;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Values;
import fleet.tower.lock.RefusalKind;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.RunRefusalJson;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.SubmitOutcome;

/** The command line's answers to rejected requests. */
public final class Rejections {
  private Rejections() {}

  /** The error code of a request that was rejected. */
  public static ErrorCode code(SubmitOutcome.Rejected why) {
    return switch (why) {
      case SubmitOutcome.UnknownIntent _ -> ErrorCode.INTENT_NOT_FOUND;
      case SubmitOutcome.InvalidParams _ -> ErrorCode.INVALID_PARAMS;
      case SubmitOutcome.InvalidLockName _ -> ErrorCode.INVALID_LOCK_NAME;
      case SubmitOutcome.Refused(var _, var refusal) -> RefusalKind.of(refusal).code();
      case SubmitOutcome.Foreign _ -> ErrorCode.FOREIGN_LOCK;
      case SubmitOutcome.Mismatch _ -> ErrorCode.IDEMPOTENCY_MISMATCH;
      case SubmitOutcome.PlanChanged _ -> ErrorCode.PLAN_CHANGED;
      case SubmitOutcome.Unavailable(ErrorCode code, String _) -> code;
      case SubmitOutcome.TooMany _ -> ErrorCode.TOO_MANY_RUNS;
      case SubmitOutcome.Closing() -> ErrorCode.CANCELLED;
    };
  }

  /** The answer to a rejected request. */
  public static Reply reply(SubmitOutcome.Rejected why, RunRequest request, Catalogue catalogue) {
    return reply(why, request.intent(), request.params(), catalogue);
  }

  /** The same for a request that has only an intent and parameters. */
  public static Reply reply(SubmitOutcome.Rejected why, String intent, Map<String, Values.Given> params,
      Catalogue catalogue) {
    Reply reply = answer(why, intent, catalogue);
    return why instanceof SubmitOutcome.UnknownIntent && !mistakes(intent, catalogue).isEmpty()
        ? reply.next(List.of(NextStep.command(null, "tower validate", "see what to fix")))
        : reply.next(NextActions.of(why, intent, name -> accepts(catalogue, name, params)));
  }

  /** Whether an intent accepts the parameters of a request. */
  private static boolean accepts(Catalogue catalogue, String intent, Map<String, Values.Given> params) {
    return catalogue.find(intent).filter(it -> Values.read(it.params(), params) instanceof Values.Accepted)
        .isPresent();
  }

  private static Reply answer(SubmitOutcome.Rejected why, String intent, Catalogue catalogue) {
    return switch (why) {
      case SubmitOutcome.UnknownIntent(String name, List<String> closest) -> unknown(name, closest, catalogue);
      case SubmitOutcome.InvalidParams(List<Values.Problem> problems) -> invalid(problems);
      case SubmitOutcome.InvalidLockName(String problem) -> Failures.of(ErrorCode.INVALID_LOCK_NAME, problem, "");
      case SubmitOutcome.Refused(var lock, var refusal) ->
        Reply.of(LockAnswers.refused(lock, refusal));
      case SubmitOutcome.Foreign(var refusal) -> ForeignLockText.reply(refusal);
      case SubmitOutcome.Mismatch(var id) -> Failures.of(ErrorCode.IDEMPOTENCY_MISMATCH,
          "request " + id + " was used before for a different request", "give another --request-id, or none",
          JsonWriter.line().put("request_id", id.value()));
      case SubmitOutcome.PlanChanged(var change) -> Failures.of(ErrorCode.PLAN_CHANGED,
          "nothing was run: " + PlanChange.sentence(change, intent), RunRefusalJson.suggestion(change),
          RunRefusalJson.write(change));
      case SubmitOutcome.Unavailable(ErrorCode code, String problem) -> Failures.of(code, problem,
          "see `tower doctor`");
      case SubmitOutcome.TooMany(var none) ->
        Failures.of(ErrorCode.TOO_MANY_RUNS, none.most() + " runs are already active here",
            "try again when one of them has finished");
      case SubmitOutcome.Closing() ->
        Failures.of(ErrorCode.CANCELLED, "interrupted; nothing was done", "");
    };
  }

  private static List<Catalogue.Complaint> mistakes(String intent, Catalogue catalogue) {
    return catalogue.complaints().stream()
        .filter(complaint -> complaint.isError() && intent.equals(complaint.intent())).toList();
  }

  private static Reply unknown(String name, List<String> closest, Catalogue catalogue) {
    List<Catalogue.Complaint> mistakes = mistakes(name, catalogue);
    JsonWriter context = JsonWriter.line().put("intent", name).list("closest",
        closest.stream().map(JsonWriter::quote).toList());
    if (!mistakes.isEmpty()) {
      Reply reply = Failures.of(ErrorCode.INTENT_NOT_FOUND, "intent " + name + " cannot run until its file is fixed",
          "see `tower validate`", context);
      mistakes.forEach(mistake -> reply.words("  " + mistake));
      return reply;
    }
    String suggestion = closest.isEmpty()
        ? "intents are the files in intents/ of the home; see `tower intents`"
        : "did you mean " + String.join(", or ", closest) + "?";
    return Failures.of(ErrorCode.INTENT_NOT_FOUND, "there is no intent " + name, suggestion, context);
  }

  private static Reply invalid(List<Values.Problem> problems) {
    Reply reply = Failures.of(ErrorCode.INVALID_PARAMS,
        problems.size() == 1 ? "a parameter is invalid" : problems.size() + " parameters are invalid",
        "", JsonWriter.line().list("errors", problems.stream().map(problem -> JsonWriter.line()
            .put("pointer", problem.pointer()).put("message", problem.message()).end()).toList()));
    problems.forEach(problem -> reply.words("  " + nameOf(problem.pointer()) + " " + problem.message()));
    return reply;
  }

  private static String nameOf(String pointer) {
    return pointer.substring(pointer.lastIndexOf('/') + 1).replace("~1", "/").replace("~0", "~");
  }
}
