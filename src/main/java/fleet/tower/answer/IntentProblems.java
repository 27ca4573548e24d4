package fleet.tower.answer;

import java.util.List;
import java.util.function.Predicate;

import fleet.tower.intent.Values;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.policy.Policy;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunRefusalJson;
import fleet.tower.run.submit.SubmitOutcome;

/** Translates refusals about intents to problems. */
public final class IntentProblems {
  private IntentProblems() {}

  /**
   * Unknown intent.
   *
   * @param accepts whether an intent with a similar name accepts the same parameters
   */
  public static Problem of(SubmitOutcome.UnknownIntent unknown, Predicate<String> accepts) {
    List<String> closest = unknown.closest();
    String name = shortened(unknown.name());
    return Problem.of(ErrorCode.INTENT_NOT_FOUND, "there is no intent " + JsonWriter.quote(name),
        JsonWriter.line().put("intent", name)
            .list("closest", closest.stream().map(JsonWriter::quote).toList())
            .put("suggestion", closest.isEmpty()
                ? "list the intents"
                : "did you mean " + String.join(" or ", closest) + "?"))
        .next(Remedies.of(unknown, unknown.name(), accepts));
  }

  private static String shortened(String name) {
    return name.length() <= 128 ? name : name.substring(0, 128) + "…";
  }

  /** Invalid parameters. */
  public static Problem of(SubmitOutcome.InvalidParams invalid, String intent) {
    List<Values.Problem> problems = invalid.problems();
    return Problem.of(ErrorCode.INVALID_PARAMS,
        (problems.size() == 1 ? "a parameter is invalid: " : problems.size() + " parameters are invalid: ")
            + Values.Problem.sentence(problems),
        errors(JsonWriter.line(), problems).put("suggestion", "correct them and call again"))
        .next(List.of(Remedies.parameters(intent)));
  }

  /** Parameters that the policy does not allow. */
  public static Problem of(Policy.NotAllowed notAllowed) {
    RunRefusal.NotAllowed refusal = new RunRefusal.NotAllowed(notAllowed.rule(), notAllowed.problems());
    return Problem.of(ErrorCode.PARAMS_NOT_ALLOWED, refusal.text(),
        errors(JsonWriter.line().put("rule", notAllowed.rule()), notAllowed.problems())
            .put("suggestion", RunRefusalJson.suggestion(refusal)));
  }

  private static JsonWriter errors(JsonWriter json, List<Values.Problem> problems) {
    return json.list("errors", RunRefusalJson.problems(problems));
  }
}
