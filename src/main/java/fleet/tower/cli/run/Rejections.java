package fleet.tower.cli.run;

import java.util.List;

import fleet.tower.cli.reply.Answers;
import fleet.tower.cli.shell.Exit;
import fleet.tower.cli.shell.Reply;
import fleet.tower.foreign.ForeignLockJson;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Values;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.submit.SubmitOutcome;

/** Why a request was let at nothing, as the command line tells it. */
public final class Rejections {
  private Rejections() {}

  /**
   * The answer to a request that was rejected.
   *
   * @param asked the command that may be repeated with other options
   */
  public static Reply reply(SubmitOutcome.Rejected why, String asked, Catalogue catalogue) {
    return switch (why) {
      case SubmitOutcome.UnknownIntent(String name, List<String> closest) -> unknown(name, closest, catalogue);
      case SubmitOutcome.InvalidParams(List<Values.Problem> problems) -> invalid(asked, problems);
      case SubmitOutcome.InvalidLockName(String problem) -> Reply.failure(Exit.USAGE, "invalid_lock_name", problem, "");
      case SubmitOutcome.Refused(var lock, var refusal) -> Answers.refusal(lock, refusal, asked);
      case SubmitOutcome.Foreign(var refusal) -> Reply.failure(Exit.HELD, ForeignLockJson.ERROR,
          ForeignLockJson.sentence(refusal), ForeignLockJson.suggestion(refusal), ForeignLockJson.refusal(refusal));
      case SubmitOutcome.Mismatch(var id) -> Reply.failure(Exit.USAGE, "idempotency_mismatch",
          "request " + id + " came before, with something else to do", "give another --request-id, or none",
          JsonWriter.line().put("request_id", id.value()));
      case SubmitOutcome.Unavailable(String problem) -> Reply.failure(Exit.UNAVAILABLE, "storage_unavailable", problem,
          "see `tower doctor`");
      case SubmitOutcome.TooMany(int limit) -> Reply.failure(Exit.HELD, "too_many_runs",
          limit + " runs are at work here already", "try again when one of them has ended");
      case SubmitOutcome.Closing() ->
        Reply.failure(Exit.FAILED, "cancelled", "interrupted before anything was done", "");
    };
  }

  private static Reply unknown(String name, List<String> closest, Catalogue catalogue) {
    List<Catalogue.Complaint> mistakes = catalogue.complaints().stream()
        .filter(complaint -> complaint.isError() && name.equals(complaint.intent())).toList();
    JsonWriter context = JsonWriter.line().put("intent", name).list("closest",
        closest.stream().map(JsonWriter::quote).toList());
    if (!mistakes.isEmpty()) {
      Reply reply = Reply.failure(Exit.NOT_FOUND, "intent_not_found",
          "intent " + name + " cannot be run before its file is mended", "see `tower validate`", context);
      mistakes.forEach(mistake -> reply.words("  " + mistake));
      return reply;
    }
    String suggestion = closest.isEmpty()
        ? "the intents are the files of intents/ in the home"
        : "did you mean " + String.join(", or ", closest) + "?";
    return Reply.failure(Exit.NOT_FOUND, "intent_not_found", "there is no intent " + name, suggestion, context);
  }

  private static Reply invalid(String asked, List<Values.Problem> problems) {
    Reply reply = Reply.failure(Exit.USAGE, "invalid_params",
        problems.size() == 1 ? "a parameter is not as the intent wants it" : problems.size() + " parameters are wrong",
        "", JsonWriter.line().list("errors", problems.stream().map(problem -> JsonWriter.line()
            .put("pointer", problem.pointer()).put("message", problem.message()).end()).toList()));
    problems.forEach(problem -> reply.words("  " + nameOf(problem.pointer()) + " " + problem.message()));
    return reply.words("  correct them: " + asked + " -p NAME=VALUE");
  }

  private static String nameOf(String pointer) {
    return pointer.substring(pointer.lastIndexOf('/') + 1).replace("~1", "/").replace("~0", "~");
  }
}
