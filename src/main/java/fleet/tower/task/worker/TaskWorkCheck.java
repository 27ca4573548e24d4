package fleet.tower.task.worker;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Values;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.task.TaskSpec;

/**
 * The check of a task's parameters against its intent before the task is created: the creator sees a mistake at once,
 * instead of the worker that claims the task hours later. Secrets are refused, because tasks are visible to all
 * callers.
 */
public sealed interface TaskWorkCheck {

  /** The intent accepts the parameters. */
  record Fit(TaskSpec.Work work) implements TaskWorkCheck {}

  /** The intent does not exist. */
  record NoIntent(SubmitOutcome.UnknownIntent why) implements TaskWorkCheck {}

  /** The intent does not accept the parameters. */
  record Unfit(SubmitOutcome.InvalidParams why) implements TaskWorkCheck {}

  /** Checks the given values against the intent; each is kept in the type that the intent declares. */
  static TaskWorkCheck of(Catalogue catalogue, String name, Map<String, Values.Given> given) {
    Optional<Intent> found = catalogue.find(name);
    if (found.isEmpty()) {
      return new NoIntent(new SubmitOutcome.UnknownIntent(name, catalogue.closest(name)));
    }
    List<Parameter> params = found.get().params();
    List<Values.Problem> problems = new ArrayList<>();
    params.stream().filter(param -> param.secret() && given.containsKey(param.name()))
        .forEach(param -> problems.add(new Values.Problem("/params/" + param.name(),
            "is a secret, and everyone can see a task; have the intent read it from where it is stored")));
    if (Values.read(params, given) instanceof Values.Rejected(List<Values.Problem> others)) {
      problems.addAll(others);
    }
    return problems.isEmpty()
        ? new Fit(new TaskSpec.Work(name, json(params, given)))
        : new Unfit(new SubmitOutcome.InvalidParams(List.copyOf(problems)));
  }

  private static String json(List<Parameter> params, Map<String, Values.Given> given) {
    JsonWriter json = JsonWriter.line();
    for (Parameter param : params) {
      Values.Given value = given.get(param.name());
      if (value != null) {
        json.raw(param.name(), param.type() == Parameter.Type.STRING ? JsonWriter.quote(value.text()) : value.text());
      }
    }
    return json.end();
  }

  /** The parameters of a task's work, as a run takes them. */
  static Map<String, Values.Given> params(TaskSpec.Work work) {
    try {
      JsonObject json = JsonReader.readObject(work.params());
      Map<String, Values.Given> params = new LinkedHashMap<>();
      json.members().forEach((name, value) -> params.put(name, given(json, value)));
      return params;
    } catch (JsonException e) {
      throw new IllegalStateException("a task's params are a JSON object", e);
    }
  }

  private static Values.Given given(JsonObject json, JsonValue value) {
    return switch (value) {
      case JsonValue.Text text -> new Values.Given(text.value(), Values.Given.Kind.STRING);
      case JsonValue.Numeral numeral -> new Values.Given(numeral.literal(), Values.Given.Kind.NUMBER);
      case JsonValue.Bool bool -> new Values.Given(Boolean.toString(bool.value()), Values.Given.Kind.BOOLEAN);
      case JsonObject _,JsonValue.Items _,JsonValue.Null _ ->
        new Values.Given(json.raw(value), Values.Given.Kind.OTHER);
    };
  }
}
