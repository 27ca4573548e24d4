package fleet.tower.remote;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

import fleet.tower.answer.NextAction;
import fleet.tower.answer.Reply;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;

/** Problem documents of a service as answers of commands. */
final class ProblemReplies {
  /** Codes of which the sentence says all that a person needs. */
  private static final Set<ErrorCode> PLAIN = EnumSet.of(ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_LOCK_NAME);

  private ProblemReplies() {}

  /** The answer for a problem document; a code that this program does not know is a plain failure. */
  static Reply reply(JsonObject problem) {
    String code = problem.text("error").orElseGet(ErrorCode.INTERNAL_ERROR::code);
    JsonWriter context = JsonWriter.line();
    problem.members().forEach((name, value) -> context.raw(name, problem.raw(value)));
    return Reply.failure(exit(problem), code,
        Reply.summary(problem.text("detail").or(() -> problem.text("title")).orElse(code), problem),
        suggestion(problem), context)
        .actions(problem.objects("next_actions").stream().map(JsonObject::raw).toList(), first(problem))
        .errors(problem);
  }

  private static Optional<ErrorCode> code(JsonObject problem) {
    return problem.text("error").flatMap(ErrorCode::of);
  }

  private static Exit exit(JsonObject problem) {
    return code(problem).map(code -> Reply.exit(code, problem)).orElse(Exit.FAILED);
  }

  private static boolean isPlain(JsonObject problem) {
    return code(problem).filter(PLAIN::contains).isPresent();
  }

  private static String suggestion(JsonObject problem) {
    return !isPlain(problem) && (code(problem).filter(Reply::isSuggestive).isPresent() || first(problem).isEmpty())
        ? problem.text("suggestion").orElse("")
        : "";
  }

  /** The first of the next actions, as a line. */
  private static String first(JsonObject problem) {
    return problem.objects("next_actions").stream().findFirst().filter(_ -> !isPlain(problem))
        .map(first -> {
          String why = first.text("why").orElse("");
          return first.text("command").map(command -> NextAction.command(command, why))
              .orElseGet(() -> NextAction.advice(why)).line();
        }).orElse("");
  }
}
