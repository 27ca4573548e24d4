package fleet.tower.answer;

import java.util.List;

import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Template;
import fleet.tower.platform.json.JsonWriter;

/** Writes intents as JSON, in the same form for every interface. */
public final class IntentJson {
  private IntentJson() {}

  /** All intents, and the mistakes in their files. */
  public static JsonWriter catalogue(Catalogue catalogue) {
    return JsonWriter.line().list("intents", catalogue.list().stream().map(intent -> intent(intent).end()).toList())
        .list("complaints", catalogue.complaints().stream().map(it -> complaint(it).end()).toList());
  }

  /** An intent of the catalogue. */
  public static JsonWriter intent(Intent intent) {
    Intent.Schedule schedule = intent.schedule();
    Intent.Timeouts timeouts = intent.timeouts();
    return JsonWriter.line().put("name", intent.name()).put("version", intent.version())
        .put("description", intent.metadata().description()).put("mode", intent.mode().toString())
        .put("effect", intent.effect().toString())
        .put("lock", intent.lock().map(Template::source).orElse(null))
        .put("heartbeat", intent.controls().heartbeat().toString())
        .put("on_lock_lost", intent.controls().onLockLost().toString())
        .put("on_stale", intent.controls().onStale().toString())
        .put("on_interrupted", intent.controls().onInterrupted().toString())
        .list("respect", sources(intent.controls().respect()))
        .list("exclusive", sources(intent.controls().exclusive()))
        .put("schedule", schedule == null ? null : schedule.text())
        .list("runs_on", intent.runsOn().stream().map(JsonWriter::quote).toList()).put("digest", intent.digest())
        .put("timeouts",
            JsonWriter.line().put("lock_ttl", timeouts.lockTtl().seconds()).put("step", timeouts.step().toSeconds())
                .put("run", timeouts.run().toSeconds()))
        .put("params", params(intent.params())).list("steps", names(intent.procedure().steps()))
        .list("rollback", names(intent.procedure().rollback()))
        .list("warnings", intent.warnings().stream().map(JsonWriter::quote).toList());
  }

  /** An error or a warning at one position in a file. */
  public static JsonWriter complaint(Catalogue.Complaint complaint) {
    return JsonWriter.line().put("file", complaint.file()).put("line", complaint.line())
        .put("column", complaint.column()).put("severity", complaint.isError() ? "error" : "warning")
        .put("intent", complaint.intent()).put("message", complaint.message());
  }

  private static List<String> sources(List<Template> templates) {
    return templates.stream().map(template -> JsonWriter.quote(template.source())).toList();
  }

  private static List<String> names(List<Intent.Step> steps) {
    return steps.stream().map(step -> JsonWriter.quote(step.name())).toList();
  }

  /** Parameters as a JSON Schema of the object that a run receives. */
  public static JsonWriter params(List<Parameter> params) {
    JsonWriter properties = JsonWriter.line();
    params.forEach(param -> properties.put(param.name(), param(param)));
    return JsonWriter.line().put("type", "object").put("properties", properties)
        .list("required",
            params.stream().filter(Parameter::required).map(param -> JsonWriter.quote(param.name())).toList())
        .put("additionalProperties", false);
  }

  /** A parameter as a JSON Schema of its value. */
  public static JsonWriter param(Parameter param) {
    JsonWriter json = JsonWriter.line().put("type", param.type().toString());
    if (!param.description().isEmpty()) {
      json.put("description", param.description());
    }
    Parameter.Limits limits = param.limits();
    if (!limits.allowed().isEmpty()) {
      json.list("enum", limits.allowed().stream().map(value -> literal(param.type(), value)).toList());
    }
    if (limits.pattern() != null) {
      json.put("pattern", "^(?:" + limits.pattern().pattern() + ")$");
    }
    if (limits.minimum() != null) {
      json.raw("minimum", limits.minimum().toString());
    }
    if (limits.maximum() != null) {
      json.raw("maximum", limits.maximum().toString());
    }
    if (param.defaultValue() != null) {
      json.raw("default", literal(param.type(), param.defaultValue()));
    }
    return param.secret() ? json.put("writeOnly", true) : json;
  }

  private static String literal(Parameter.Type type, String value) {
    return switch (type) {
      case STRING -> JsonWriter.quote(value);
      case INTEGER, NUMBER, BOOLEAN -> value;
    };
  }
}
