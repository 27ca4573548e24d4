package fleet.tower.run.submit;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.ApprovalJson;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.intent.OutputRule;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Probe;
import fleet.tower.intent.Repetition;
import fleet.tower.intent.StepLimits;
import fleet.tower.intent.Template;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.secret.HomeKey;
import fleet.tower.run.Observation;
import fleet.tower.run.execute.PreparedRun;

/** Writes the document of a plan. */
final class PlanWriter {
  static final String PARAMS = "params";
  static final String SECRETS = "secrets";
  static final String STEPS = "steps";
  static final String ROLLBACK = "rollback";

  private final PreparedRun prepared;
  private final Intent intent;
  private final boolean force;
  private final HomeKey key;
  private final PlanDocument.Judged judged;

  PlanWriter(PreparedRun prepared, boolean force, HomeKey key, PlanDocument.Judged judged) {
    this.judged = judged;
    this.prepared = prepared;
    this.intent = prepared.intent();
    this.force = force;
    this.key = key;
  }

  /** @param seen what its probe sees; null if it has none */
  String document(@Nullable Observation seen) {
    JsonWriter json = JsonWriter.line().put("intent", intent.name()).put("version", intent.version())
        .put("digest", intent.digest()).put("mode", intent.mode().toString())
        .put("effect", judged.effect().toString());
    params(json);
    sources(json);
    Intent.Timeouts timeouts = intent.timeouts();
    intent.lock().ifPresent(lock -> json.put("lock", JsonWriter.line().put("name", word(lock))
        .put("mode", "exclusive").put("ttl_seconds", timeouts.lockTtl().seconds())));
    if (judged.approval() != null) {
      json.put("approve", ApprovalJson.terms(judged.approval()));
    }
    Controls controls = intent.controls();
    if (seen != null) {
      json.put(Probe.NAME, probe(seen));
    }
    return json.put("force_lock", force)
        .put("controls", JsonWriter.line().put("heartbeat", controls.heartbeat().toString())
            .put("on_lock_lost", controls.onLockLost().toString()).put("on_stale", controls.onStale().toString())
            .put("on_interrupted", controls.onInterrupted().toString()))
        .put("foreign_locks", JsonWriter.line().list("respect", words(controls.respect()))
            .list("exclusive", words(controls.exclusive())))
        .put("timeouts", JsonWriter.line().put("step_seconds", timeouts.step().toSeconds())
            .put("run_seconds", timeouts.run().toSeconds()))
        .list("labels", intent.runsOn().stream().sorted().map(JsonWriter::quote).toList())
        .list(STEPS, steps(intent.procedure().steps())).list(ROLLBACK, steps(intent.procedure().rollback())).end();
  }

  /** Two unknown states are the same; why they are unknown may differ. */
  private JsonWriter probe(Observation seen) {
    JsonWriter json = switch (seen) {
      case Observation.Seen it -> it.json();
      case Observation.Unknown _ -> JsonWriter.line().raw("state", "null");
    };
    Probe probe = intent.probe();
    return probe == null || probe.desired() == null ? json : json.raw("desired", probe.desired().json(this::known));
  }

  /** The values that steps get. A plain value that contains the text of a secret is written like a secret. */
  private void params(JsonWriter json) {
    JsonWriter plain = JsonWriter.line();
    JsonWriter secret = JsonWriter.line();
    for (Parameter param : intent.params()) {
      String text = prepared.values().texts().get(param.name());
      if (text == null) {
        continue;
      }
      if (param.secret() || !prepared.secrets().mask(text).equals(text)) {
        secret.put(param.name(), key.digest(param.name(), text));
      } else {
        plain.raw(param.name(), param.type().json(text));
      }
    }
    json.put(PARAMS, plain).put(SECRETS, secret);
  }

  /** Where secrets of the host come from; only if there are any, so that the hash of other plans stays the same. */
  private void sources(JsonWriter json) {
    JsonWriter sources = JsonWriter.line();
    intent.procedure().secrets()
        .forEach((name, source) -> sources.put(name, JsonWriter.line().put(source.kind(), source.place())));
    if (!intent.procedure().secrets().isEmpty()) {
      json.put("secret_sources", sources);
    }
  }

  private List<String> steps(List<Intent.Step> steps) {
    return steps.stream().map(this::step).toList();
  }

  private String step(Intent.Step step) {
    JsonWriter json = JsonWriter.line().put("name", step.name());
    action(step.action(), json, "run", "script");
    JsonWriter env = JsonWriter.line();
    step.env().forEach((name, value) -> env.put(name, word(value)));
    json.put("env", env);
    Duration timeout = step.timeout() == null ? intent.timeouts().step() : step.timeout();
    json.put("timeout_seconds", timeout.toSeconds());
    if (step.rollback() != null) {
      action(step.rollback(), json, ROLLBACK, "rollback_script");
    }
    bounds(step, json);
    return json.end();
  }

  /** Only what is declared, so that the hash of other plans is that of earlier releases. */
  private static void bounds(Intent.Step step, JsonWriter json) {
    JsonWriter limits = JsonWriter.line();
    step.limits().declared().forEach((name, value) -> limits.raw(name, value.toString()));
    if (!step.limits().equals(StepLimits.NONE)) {
      json.put("limits", limits);
    }
    OutputRule output = step.output();
    if (output != null) {
      JsonWriter form = JsonWriter.line();
      json.put("output", (switch (output.form()) {
        case OutputRule.Lines(Pattern pattern) -> form.put("lines", pattern.pattern());
        case OutputRule.Json() -> form.put("json", true);
        case OutputRule.Schema(JsonObject schema, _) -> form.raw("schema", schema.raw());
      }).put("max_bytes", output.maxBytes()));
    }
    Repetition repetition = step.repetition();
    if (repetition != null) {
      json.put("repeatable", true);
      if (repetition.times() > 0) {
        json.put("retry", JsonWriter.line().put("times", repetition.times())
            .put("delay_seconds", repetition.delay().toSeconds()).put("factor", repetition.factor()));
      }
    }
  }

  private void action(Intent.Step.Action action, JsonWriter json, String argv, String script) {
    switch (action) {
      case Intent.Step.Argv(List<Template> words) -> json.list(argv, words(words));
      case Intent.Step.Script(String text) -> json.put(script, text);
    }
  }

  private List<String> words(Collection<Template> words) {
    return words.stream().map(word -> JsonWriter.quote(word(word))).toList();
  }

  private String word(Template template) {
    return prepared.secrets().mask(template.resolve(this::known));
  }

  private String known(Template.Variable variable) {
    return isKnownAtRuntime(variable) ? "${" + variable.written() + "}" : prepared.facts(null).apply(variable);
  }

  /** Variables whose value is known only when the run begins; the plan shows them as the intent has them. */
  private static boolean isKnownAtRuntime(Template.Variable variable) {
    return variable == Template.Fact.LOCK_TOKEN || variable == Template.Fact.REQUEST_ID;
  }
}
