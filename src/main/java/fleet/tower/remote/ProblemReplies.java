package fleet.tower.remote;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

import fleet.tower.answer.NextAction;
import fleet.tower.answer.Reply;
import fleet.tower.answer.TaskJson;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;

/** Problem documents of a service as answers of commands. */
final class ProblemReplies {
  /** Codes whose own suggestion is better than the first of the next actions. */
  private static final Set<ErrorCode> SUGGESTIVE = EnumSet.of(ErrorCode.TASK_EXISTS, ErrorCode.UNKNOWN_DEPENDENCY,
      ErrorCode.CLAIM_CONTENTION, ErrorCode.DEPENDENCIES_OPEN, ErrorCode.TASK_COMPLETED, ErrorCode.CLAIM_NOT_OWNED,
      ErrorCode.TASK_NOT_FOUND, ErrorCode.IDEMPOTENCY_MISMATCH, ErrorCode.MESSAGE_EXISTS, ErrorCode.MAILBOX_FULL,
      ErrorCode.REPLY_NOT_AVAILABLE, ErrorCode.RECEIPT_HANDLE_EXPIRED, ErrorCode.DEAD_LETTER_NOT_FOUND);

  private ProblemReplies() {}

  /** The answer for a problem document; a code that this program does not know is a plain failure. */
  static Reply reply(JsonObject problem) {
    String code = problem.text("error").orElseGet(ErrorCode.INTERNAL_ERROR::code);
    JsonWriter context = JsonWriter.line();
    problem.members().forEach((name, value) -> context.raw(name, problem.raw(value)));
    Reply reply = Reply.failure(exit(problem), code,
        problem.text("detail").or(() -> problem.text("title")).orElse(code), suggestion(problem), context)
        .actions(problem.objects("next_actions").stream().map(JsonObject::raw).toList(), first(problem));
    if (problem.items("errors").size() > 1) {
      problem.objects("errors").forEach(
          error -> reply.words("  " + error.text("pointer").orElse("") + " " + error.text("message").orElse("")));
    }
    return reply;
  }

  private static Optional<ErrorCode> code(JsonObject problem) {
    return problem.text("error").flatMap(ErrorCode::of);
  }

  private static Exit exit(JsonObject problem) {
    Exit exit = code(problem).map(ErrorCode::exit).orElse(Exit.FAILED);
    return exit.equals(Exit.NOT_OWNER) && problem.text("reason").filter(TaskJson::isLoss).isPresent()
        ? Exit.LOST
        : exit;
  }

  private static String suggestion(JsonObject problem) {
    return code(problem).filter(SUGGESTIVE::contains).isPresent() || first(problem).isEmpty()
        ? problem.text("suggestion").orElse("")
        : "";
  }

  /** The first of the next actions, as a line. */
  private static String first(JsonObject problem) {
    return problem.objects("next_actions").stream().findFirst()
        .map(first -> {
          String why = first.text("why").orElse("");
          return first.text("command").map(command -> NextAction.command(command, why))
              .orElseGet(() -> NextAction.advice(why)).line();
        }).orElse("");
  }
}
