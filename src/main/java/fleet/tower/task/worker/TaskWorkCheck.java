package fleet.tower.task.worker;

import static java.util.Objects.requireNonNull;

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
 * A task that an intent is to do, held against the intent before it is made: a mistake is told to who makes the task, not to
 * the worker that comes to it hours later. Secrets are refused, as tasks are shown to everybody.
 */
public sealed interface TaskWorkCheck {

  /** The intent could do it. */
  record Fit(TaskSpec.Work work) implements TaskWorkCheck {
    public Fit {
      requireNonNull(work);
    }
  }

  /** There is no such intent. */
  record Nobody(SubmitOutcome.UnknownIntent why) implements TaskWorkCheck {
    public Nobody {
      requireNonNull(why);
    }
  }

  /** It does not take these parameters. */
  record Unfit(SubmitOutcome.InvalidParams why) implements TaskWorkCheck {
    public Unfit {
      requireNonNull(why);
    }
  }

  /** What was given, held against the intent; each value is kept as the type that the intent has it in. */
  static TaskWorkCheck of(Catalogue catalogue, String name, Map<String, Values.Given> given) {
    Optional<Intent> found = catalogue.find(name);
    if (found.isEmpty()) {
      return new Nobody(new SubmitOutcome.UnknownIntent(name, catalogue.closest(name)));
    }
    List<Parameter> params = found.get().params();
    List<Values.Problem> problems = new ArrayList<>();
    params.stream().filter(param -> param.secret() && given.containsKey(param.name()))
        .forEach(param -> problems.add(new Values.Problem("/params/" + param.name(),
            "is a secret, and a task is shown to everybody; have the intent read it from where it is kept")));
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

  /** The parameters of a task's work, as a run is asked for with them. */
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
