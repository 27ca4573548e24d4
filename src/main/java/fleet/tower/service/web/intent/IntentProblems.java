package fleet.tower.service.web.intent;

import java.util.List;

import fleet.tower.cli.reply.ErrorCode;
import fleet.tower.intent.Values;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.web.http.Problem;

/** Translates refusals about intents to HTTP. */
public final class IntentProblems {
  private IntentProblems() {}

  /** Unknown intent. */
  public static Problem of(SubmitOutcome.UnknownIntent unknown) {
    List<String> closest = unknown.closest();
    String name = shortened(unknown.name());
    return Problem.of(ErrorCode.INTENT_NOT_FOUND, "there is no intent " + JsonWriter.quote(name),
        JsonWriter.line().put("intent", name)
            .list("closest", closest.stream().map(JsonWriter::quote).toList())
            .put("suggestion", closest.isEmpty()
                ? "see GET /intents"
                : "did you mean " + String.join(" or ", closest) + "?"))
        .next("GET", "/intents", "tower intents", "list the intents, and the errors in their files");
  }

  private static String shortened(String name) {
    return name.length() <= 128 ? name : name.substring(0, 128) + "…";
  }

  /** Invalid parameters. */
  public static Problem of(SubmitOutcome.InvalidParams invalid, String intent) {
    List<Values.Problem> problems = invalid.problems();
    return look(intent, Problem.of(ErrorCode.INVALID_PARAMS, problems.size() == 1
        ? "a parameter is invalid: " + problems.getFirst().pointer() + " " + problems.getFirst().message()
        : problems.size() + " parameters are invalid",
        JsonWriter.line().list("errors",
            problems.stream().map(problem -> JsonWriter.line().put("pointer", problem.pointer())
                .put("message", problem.message()).end()).toList())
            .put("suggestion", "correct them and call again")));
  }

  /** Adds the call that shows the intent's parameters. */
  public static Problem look(String intent, Problem problem) {
    return problem.next("GET", "/intents/" + intent, "tower plan " + intent,
        "see the intent's parameters as a JSON Schema");
  }
}
