package fleet.tower.run.execute;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignTerms;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Step;
import fleet.tower.intent.Template;
import fleet.tower.intent.Values;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.StepRecord;
import fleet.tower.run.TraceContext;
import fleet.tower.run.Tracing;

/**
 * A request whose every value is known and good.
 *
 * @param lock the name of the lock that it runs under; null where it needs none
 * @param foreign other tools' locks that it needs free, or for itself
 * @param tracing what its steps are told of the trace that they are in
 */
public record PreparedRun(Intent intent, Values values, Run.Header header, @Nullable LeaseName lock,
    ForeignTerms foreign,
    Secrets secrets, Tracing tracing) {

  /**
   * Where a step runs.
   *
   * @param home the directory that everything is below
   * @param beats the file that it writes to for a beat
   */
  record Place(String home, String beats) {}

  /** The command of a step, or of what undoes it. */
  Processes.Command command(Step step, StepRecord record, Place place, @Nullable FencingToken token) {
    Step.Action action = record.kind() == StepRecord.Kind.STEP_ROLLBACK && step.rollback() != null
        ? step.rollback()
        : step.action();
    return new Processes.Command(header.requestId(), record.logName(), argv(step.name(), action, token),
        environment(step, record.logName(), place, token), secrets);
  }

  /** The words of an action; a script has its step's name as its own, so that its complaints say where they come from. */
  public List<String> argv(String stepName, Step.Action action, @Nullable FencingToken token) {
    return switch (action) {
      case Step.Argv(List<Template> words) -> words.stream().map(word -> word.resolve(facts(token))).toList();
      case Step.Script(String text) -> List.of("bash", "-euo", "pipefail", "-c", text, stepName);
    };
  }

  /** What a reference stands for in this request. */
  public Function<Template.Variable, String> facts(@Nullable FencingToken token) {
    return variable -> switch (variable) {
      case Template.Param(String param) -> values.text(param);
      case Template.Fact fact -> switch (fact) {
        case REQUEST_ID -> header.requestId().value();
        case REQUEST_ACTOR -> header.origin().actor().name();
        case INTENT_NAME -> intent.name();
        case INTENT_VERSION -> intent.version();
        case LOCK_TOKEN -> token == null ? "" : token.toString();
      };
    };
  }

  private Map<String, String> environment(Step step, String logName, Place place, @Nullable FencingToken token) {
    Map<String, String> environment = new LinkedHashMap<>();
    step.env().forEach((name, value) -> environment.put(name, value.resolve(facts(token))));
    intent.params().forEach(param -> {
      if (values.texts().containsKey(param.name())) {
        environment.put(param.variable(), values.text(param.name()));
      }
    });
    TraceContext trace = tracing.ofStep(header, logName);
    if (trace != null) {
      environment.put("TRACEPARENT", trace.traceparent());
    }
    environment.put("TOWER_REQUEST_ID", header.requestId().value());
    environment.put("TOWER_INTENT", intent.name());
    environment.put("TOWER_ACTOR", header.origin().actor().name());
    environment.put("TOWER_LOCK_NAME", lock == null ? "" : lock.value());
    environment.put("TOWER_LOCK_TOKEN", token == null ? "" : token.toString());
    environment.put("TOWER_HOME", place.home());
    environment.put("TOWER_BEAT_FILE", place.beats());
    return environment;
  }

  /** Every step, none of them begun. */
  public Run.Progress beginning() {
    List<StepRecord> steps = new ArrayList<>();
    intent.procedure().steps().forEach(step -> steps.add(StepRecord.pending(step.name(), StepRecord.Kind.STEP)));
    return new Run.Progress(steps, List.of(), null, null);
  }
}
