package fleet.tower.answer;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.Locks;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusalJson;
import fleet.tower.run.StepRecord;
import fleet.tower.run.TraceContext;

/** Runs as JSON, the same at both doors. */
public final class RunJson {
  private RunJson() {}

  /**
   * The complete run.
   *
   * @param tail the end of a step's output
   */
  public static JsonWriter run(Run run, Function<StepRecord, String> tail) {
    return answer(run, tail);
  }

  /** Adds the parameter values of a run and the names of its secret ones. */
  public static JsonWriter withParams(JsonWriter json, Run run) {
    Run.Params params = run.header().params();
    if (params == null) {
      return json;
    }
    json.raw("params", params.values());
    return params.secrets().isEmpty()
        ? json
        : json.list("secret_params", params.secrets().stream().map(JsonWriter::quote).toList());
  }

  /** The run without the output of its steps, for lists. */
  public static JsonWriter summary(Run run) {
    return answer(run, null);
  }

  /**
   * A beat for a run that is not over.
   *
   * @param isNeeded whether the run depends on beats
   */
  public static JsonWriter beat(RequestId id, boolean isNeeded) {
    return JsonWriter.line().put("request_id", id.value()).put("beaten", isNeeded);
  }

  private static JsonWriter answer(Run run, @Nullable Function<StepRecord, String> tail) {
    Run.Header header = run.header();
    JsonWriter json = JsonWriter.line().put("request_id", run.requestId().value())
        .put("intent", header.subject().intent()).put("intent_version", header.subject().version())
        .put("mode", header.subject().mode().toString()).put("actor", header.origin().actor().name());
    putIfAny(json, "on_behalf_of", header.origin().actor().onBehalfOf());
    TraceContext trace = header.origin().trace();
    putIfAny(json, "traceparent", trace == null ? null : trace.traceparent());
    RequestId again = header.origin().again();
    putIfAny(json, "again", again == null ? null : again.value());
    Locks.Result result = run.status().result();
    json.put("status", run.status().toString()).put("result", result == null ? null : result.toString());
    if (run.isQueued()) {
      json.put("queued", true);
    }
    if (run.approval() != null) {
      json.put("approval", ApprovalAnswers.brief(run));
    }
    json.members(run.probed().members());
    putIfAny(json, "failure_step", run.progress().failureStep());
    if (run.refusal() != null) {
      json.put("error", RunRefusalJson.error(run.refusal())).put("refusal", RunRefusalJson.write(run.refusal()));
    }
    putIfAny(json, "host_id", run.hostId());
    putIfAny(json, "lock_name", header.lockName() == null ? null : header.lockName().value());
    json.put("lock", lock(run.lock()));
    if (run.lock() != null) {
      json.put("heartbeat_failures", run.lock().heartbeatFailures());
    }
    json.list("warnings", run.warnings().stream().map(JsonWriter::quote).toList())
        .list("steps", steps(run.progress().steps(), tail)).list("rollback", rollback(run.progress(), tail))
        .raw("metadata", header.origin().metadata()).put("created_at", header.createdAt());
    return run.finishedAt() == null ? json.raw("finished_at", "null") : json.put("finished_at", run.finishedAt());
  }

  private static @Nullable JsonWriter lock(Run.@Nullable LockNote lock) {
    if (lock == null) {
      return null;
    }
    JsonWriter json = JsonWriter.line().put("lock_name", lock.name().value()).put("lock_path", lock.path())
        .put("ttl_seconds", lock.ttl().seconds()).put("fencing_token", lock.token().value())
        .put("heartbeat", lock.heartbeat().toString()).put("stolen", lock.stolen());
    return lock.lost() ? json.put("lost", true) : json;
  }

  /** Always a list; the reason for a skipped rollback is one entry. */
  private static List<String> rollback(Run.Progress progress, @Nullable Function<StepRecord, String> tail) {
    List<String> entries = new ArrayList<>(steps(progress.rollback(), tail));
    if (progress.rollbackSkipped() != null) {
      entries.add(JsonWriter.line().put("name", "rollback").put("status", StepRecord.Status.SKIPPED.toString())
          .put("note", "skipped: " + progress.rollbackSkipped()).end());
    }
    return entries;
  }

  private static List<String> steps(List<StepRecord> steps, @Nullable Function<StepRecord, String> tail) {
    return steps.stream().map(step -> step(step, tail)).toList();
  }

  private static String step(StepRecord step, @Nullable Function<StepRecord, String> tail) {
    JsonWriter json = JsonWriter.line().put("name", step.name()).put("status", step.status().toString());
    exitCode(json, step.exitCode());
    json = step.startedAt() == null ? json.raw("started_at", "null") : json.put("started_at", step.startedAt());
    json.put("duration_ms", step.durationMillis());
    if (tail != null && step.hasBegun()) {
      json.put("log", step.logName());
    }
    if (tail != null) {
      json.put("output_tail", tail.apply(step));
    }
    putIfAny(json, "note", step.note());
    if (!step.tries().isEmpty()) {
      json.list("tries", step.tries().stream().map(RunJson::tried).toList());
    }
    return json.end();
  }

  private static String tried(StepRecord.Try one) {
    JsonWriter json = exitCode(JsonWriter.line().put("status", one.status().toString()), one.exitCode())
        .put("duration_ms", one.durationMillis());
    putIfAny(json, "note", one.note());
    return json.end();
  }

  private static JsonWriter exitCode(JsonWriter json, @Nullable Integer code) {
    return code == null ? json.raw("exit_code", "null") : json.put("exit_code", code);
  }

  /** The event that a step has begun. */
  public static JsonWriter started(StepRecord step) {
    return step.startedAt() == null ? named(step) : named(step).put("started_at", step.startedAt());
  }

  /** The event that a step has ended. */
  public static JsonWriter finished(StepRecord step) {
    JsonWriter json = exitCode(named(step).put("status", step.status().toString()), step.exitCode());
    putIfAny(json.put("duration_ms", step.durationMillis()), "note", step.note());
    return json;
  }

  /** The step of an event. */
  public static JsonWriter named(StepRecord step) {
    return JsonWriter.line().put("step", step.name()).put("kind", step.kind().name().toLowerCase(Locale.ROOT));
  }

  private static void putIfAny(JsonWriter json, String key, @Nullable String value) {
    if (value != null) {
      json.put(key, value);
    }
  }
}
