package fleet.tower.cli.remote;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusalJson;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;

/** Reads the runs and steps of a service from its JSON. */
final class RunReader {
  private RunReader() {}

  static Run run(JsonObject json) {
    Run.Header header = new Run.Header(new RequestId(text(json, "request_id")),
        new Run.Subject(text(json, "intent"), text(json, "intent_version"),
            Intent.Mode.valueOf(constant(json, "mode"))),
        new Run.Origin(new Actor(text(json, "actor"), json.text("on_behalf_of").orElse(null), null),
            json.object("metadata").map(JsonObject::raw).orElse("{}"), null),
        moment(json, "created_at").orElse(Instant.EPOCH), isQueued(json) ? "{}" : null,
        json.text("lock_name").map(LeaseName::new).orElse(null), null, null);
    List<StepRecord> rollback = steps(json, "rollback");
    String skipped = rollback.stream().map(StepRecord::note)
        .filter(note -> note != null && note.startsWith("skipped: "))
        .map(note -> note.substring("skipped: ".length())).findFirst().orElse(null);
    Run.Progress progress = new Run.Progress(steps(json, "steps"),
        rollback.stream().filter(step -> skipped == null || !("skipped: " + skipped).equals(step.note())).toList(),
        json.text("failure_step").orElse(null), skipped);
    return new Run(header, RunStatus.valueOf(constant(json, "status")), json.object("lock")
        .map(lock -> lock(lock, json.integer("heartbeat_failures").orElse(0))).orElse(null), progress,
        json.texts("warnings"), json.object("refusal").map(RunRefusalJson::read).orElse(null),
        moment(json, "finished_at").orElse(null), json.text("host_id").orElse(null), null);
  }

  private static Run.LockNote lock(JsonObject json, long heartbeatFailures) {
    return new Run.LockNote(new LeaseName(text(json, "lock_name")), text(json, "lock_path"),
        new Ttl(json.integer("ttl_seconds").orElse(1)), new FencingToken(json.integer("fencing_token").orElse(0)),
        json.text("heartbeat").filter("progress"::equals).isPresent()
            ? Controls.Heartbeat.PROGRESS
            : Controls.Heartbeat.TIMER,
        LockReader.isTrue(json, "stolen"), heartbeatFailures, LockReader.isTrue(json, "lost"));
  }

  /** The step of an event. */
  static StepRecord step(JsonObject event, StepRecord.Status otherwise) {
    return step(event, text(event, "step"), StepRecord.Kind.valueOf(constant(event, "kind")), otherwise);
  }

  private static StepRecord step(JsonObject json, String name, StepRecord.Kind kind, StepRecord.Status otherwise) {
    StepRecord.Status status = json.get("status") == null
        ? otherwise
        : StepRecord.Status.valueOf(constant(json, "status"));
    Integer exitCode = json.integer("exit_code").isPresent() ? (int) json.integer("exit_code").getAsLong() : null;
    return new StepRecord(name, kind, status, exitCode, moment(json, "started_at").orElse(null),
        json.integer("duration_ms").orElse(0), json.text("note").orElse(null), null);
  }

  /** A list does not distinguish the kinds of rollback steps, so all are read as the rollback of a step. */
  private static List<StepRecord> steps(JsonObject run, String list) {
    StepRecord.Kind kind = list.equals("steps") ? StepRecord.Kind.STEP : StepRecord.Kind.STEP_ROLLBACK;
    return run.objects(list).stream().map(step -> step(step, text(step, "name"), kind, StepRecord.Status.PENDING))
        .toList();
  }

  private static Optional<Instant> moment(JsonObject json, String key) {
    return json.text(key).flatMap(Timestamps::parse);
  }

  private static String constant(JsonObject json, String key) {
    return text(json, key).toUpperCase(Locale.ROOT);
  }

  private static boolean isQueued(JsonObject json) {
    return json.get("queued") instanceof JsonValue.Bool(boolean queued, int _, int _) && queued;
  }

  private static String text(JsonObject json, @Nullable String key) {
    return json.text(String.valueOf(key))
        .orElseThrow(() -> new IllegalStateException("the service returned a run without " + key + ": " + json.raw()));
  }
}
