package fleet.tower.run.execute;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.Approval;
import fleet.tower.foreign.ForeignTerms;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Template;
import fleet.tower.intent.Values;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.run.Probed;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.run.TraceContext;
import fleet.tower.run.Tracing;

/**
 * A checked request: its intent is found, and every value is read and valid.
 *
 * @param lock the name of its lock; null if its intent has none
 * @param foreign the locks of other tools that must be free, or that it takes
 * @param tracing the source of the trace context that its steps get
 * @param approval its approval; null if it has none
 */
public record PreparedRun(Intent intent, Values values, Run.Header header, @Nullable LeaseName lock,
    ForeignTerms foreign,
    Secrets secrets, Tracing tracing, @Nullable Approval approval) {

  /** A checked request that has no approval. */
  public PreparedRun(Intent intent, Values values, Run.Header header, @Nullable LeaseName lock, ForeignTerms foreign,
      Secrets secrets, Tracing tracing) {
    this(intent, values, header, lock, foreign, secrets, tracing, null);
  }

  /**
   * The paths that a step gets.
   *
   * @param home the home directory
   * @param beats the file that it writes to for a heartbeat
   */
  record Place(String home, String beats) {}

  /** The command of a step, or of its rollback. */
  Processes.Command command(Intent.Step step, StepRecord record, Place place, @Nullable FencingToken token) {
    Intent.Step.Action action = record.kind() == StepRecord.Kind.STEP_ROLLBACK && step.rollback() != null
        ? step.rollback()
        : step.action();
    return new Processes.Command(header.requestId(), record.logName(), argv(step.name(), action, token),
        environment(step, record.logName(), place, token), secrets, step.limits(),
        intent.procedure().secrets(), record.kind() != StepRecord.Kind.STEP);
  }

  /**
   * The command of its probe. It gets no token, and of secret parameters only those that the probe's environment names.
   */
  Processes.Command look(Intent.Step look, String home) {
    Map<String, String> environment = new LinkedHashMap<>();
    look.env().forEach((name, value) -> environment.put(name, value.resolve(facts(null))));
    intent.params().stream().filter(param -> !param.secret() && values.texts().containsKey(param.name()))
        .forEach(param -> environment.put(param.variable(), values.text(param.name())));
    environment.put("TOWER_INTENT", intent.name());
    environment.put("TOWER_HOME", home);
    return new Processes.Command(header.requestId(), look.name(), argv(look.name(), look.action(), null), environment,
        secrets, look.limits(), Map.of(), false);
  }

  /** The state that must hold after the run, as JSON; null if its intent names none. */
  public @Nullable String desired() {
    return intent.probe() == null || intent.probe().desired() == null
        ? null
        : intent.probe().desired().json(facts(null));
  }

  /**
   * The command line of an action. A script gets the name of its step as {@code $0}, so that its error messages name
   * the step.
   */
  public List<String> argv(String stepName, Intent.Step.Action action, @Nullable FencingToken token) {
    return switch (action) {
      case Intent.Step.Argv(List<Template> words) -> words.stream().map(word -> word.resolve(facts(token))).toList();
      case Intent.Step.Script(String text) -> List.of("bash", "-euo", "pipefail", "-c", text, stepName);
    };
  }

  /** The value of each variable of a template. */
  public Function<Template.Variable, String> facts(@Nullable FencingToken token) {
    return variable -> switch (variable) {
      case Template.Param(String param) -> values.text(param);
      case Template.Fact fact -> switch (fact) {
        case REQUEST_ID -> header.requestId().value();
        case REQUEST_ACTOR -> header.actor().name();
        case INTENT_NAME -> intent.name();
        case INTENT_VERSION -> intent.version();
        case LOCK_TOKEN -> token == null ? "" : token.toString();
      };
    };
  }

  private Map<String, String> environment(Intent.Step step, String logName, Place place, @Nullable FencingToken token) {
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
    environment.put("TOWER_ACTOR", header.actor().name());
    environment.put("TOWER_LOCK_NAME", lock == null ? "" : lock.value());
    environment.put("TOWER_LOCK_TOKEN", token == null ? "" : token.toString());
    environment.put("TOWER_HOME", place.home());
    environment.put("TOWER_BEAT_FILE", place.beats());
    return environment;
  }

  /** The same, for a request that names a plan; {@code document} is recorded with the run. */
  public PreparedRun planned(String document) {
    Run.Declaration checked = new Run.Declaration(intent.digest(), intent.runsOn(), document);
    return new PreparedRun(intent, values, header.withDeclaration(checked), lock, foreign, secrets, tracing, approval);
  }

  /** The same, for a run with an approval, which waits in the queue as this request after that. */
  public PreparedRun approved(@Nullable Approval by, @Nullable String order) {
    return new PreparedRun(intent, values, order == null ? header : header.queuedAs(order), lock, foreign, secrets,
        tracing, by);
  }

  /** The run before its first step. */
  public Run newRun(boolean waits) {
    return new Run(header, waits ? RunStatus.WAITING : RunStatus.RUNNING, null,
        Run.Progress.of(intent.procedure().steps().stream()
            .map(step -> StepRecord.pending(step.name(), StepRecord.Kind.STEP)).toList()),
        intent.warnings(), null, null, null, null, approval, Probed.NOTHING);
  }
}
