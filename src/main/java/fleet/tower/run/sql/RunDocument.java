package fleet.tower.run.sql;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.ApprovalJson;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Probed;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunRefusalJson;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.run.TraceContext;

/** The stored form of a run: a JSON document with times in milliseconds. */
final class RunDocument {
  private static final String APPROVAL = "approval";
  private static final String ORDER = "order";
  private static final String FOREIGN_WAIT = "foreign_wait";
  private static final String SINCE = "since";

  private RunDocument() {}

  static String write(Run run) {
    Run.Header header = run.header();
    Run.Progress progress = run.progress();
    TraceContext trace = header.origin().trace();
    RequestId again = header.origin().again();
    Door door = header.actor().door();
    LeaseName lock = header.lockName();
    JsonWriter json = JsonWriter.line().put("request_id", run.requestId().value())
        .put("intent", header.intent()).put("version", header.subject().version())
        .put("mode", header.subject().mode().toString()).put("actor", header.actor().name())
        .put(ORDER, header.order())
        .put("lock_name", lock == null ? null : lock.value())
        .put("host_id", run.hostId()).put("on_behalf_of", header.actor().onBehalfOf())
        .put("door", door == null ? null : door.toString())
        .put("metadata", header.origin().metadata()).put("params", params(header.params()))
        .members(declaration(header.declaration()))
        .put("traceparent", trace == null ? null : trace.traceparent())
        .put("again", again == null ? null : again.value())
        .put("created_at", header.createdAt().toEpochMilli()).put("status", run.status().toString())
        .put("lock", lock(run.lock())).list("warnings", run.warnings().stream().map(JsonWriter::quote).toList())
        .put("refusal", run.refusal() == null ? null : RunRefusalJson.write(run.refusal()).end())
        .put("failure_step", progress.failureStep())
        .put("rollback_skipped", progress.rollbackSkipped()).list("steps", steps(progress.steps()))
        .list("rollback", steps(progress.rollback()));
    if (run.approval() != null) {
      json.put(APPROVAL, ApprovalJson.write(run.approval()));
    }
    json.members(run.probed().members());
    return foreignWait(moment(json, "finished_at", run.finishedAt()), run.foreignWait()).end();
  }

  private static JsonWriter foreignWait(JsonWriter json, Run.@Nullable ForeignWait wait) {
    return wait == null
        ? json
        : json.put(FOREIGN_WAIT, RunRefusalJson.write(new RunRefusal.ForeignLocked(wait.refusal()))
            .put(SINCE, wait.since().toEpochMilli()));
  }

  private static JsonWriter declaration(Run.@Nullable Declaration declaration) {
    if (declaration == null) {
      return JsonWriter.line();
    }
    JsonWriter json = JsonWriter.line().put("intent_digest", declaration.digest());
    if (!declaration.runsOn().isEmpty()) {
      json.list("runs_on", declaration.runsOn().stream().map(JsonWriter::quote).toList());
    }
    return declaration.plan() == null ? json : json.put("plan", declaration.plan());
  }

  private static @Nullable JsonWriter params(Run.@Nullable Params params) {
    return params == null
        ? null
        : JsonWriter.line().put("values", params.values())
            .list("secrets", params.secrets().stream().map(JsonWriter::quote).toList());
  }

  private static @Nullable JsonWriter lock(Run.@Nullable LockNote lock) {
    if (lock == null) {
      return null;
    }
    JsonWriter json = JsonWriter.line().put("name", lock.name().value()).put("path", lock.path())
        .put("ttl", lock.ttl().seconds())
        .put("token", lock.token().value()).put("heartbeat", lock.heartbeat().toString())
        .put("stolen", lock.stolen()).put("heartbeat_failures", lock.heartbeatFailures());
    return lock.lost() ? json.put("lost", true) : json;
  }

  private static List<String> steps(List<StepRecord> steps) {
    return steps.stream().map(RunDocument::step).toList();
  }

  private static String step(StepRecord step) {
    JsonWriter json = JsonWriter.line().put("name", step.name()).put("kind", lower(step.kind()))
        .put("status", step.status().toString()).put("duration", step.durationMillis()).put("note", step.note());
    if (step.exitCode() != null) {
      json.put("exit_code", step.exitCode());
    }
    if (step.outputSize() != null) {
      json.put("output", step.outputSize());
    }
    if (!step.tries().isEmpty()) {
      json.list("tries", step.tries().stream().map(RunDocument::tried).toList());
    }
    return moment(json, "started_at", step.startedAt()).end();
  }

  private static String tried(StepRecord.Try one) {
    JsonWriter json = JsonWriter.line().put("status", one.status().toString()).put("duration", one.durationMillis())
        .put("note", one.note());
    return (one.exitCode() == null ? json : json.put("exit_code", one.exitCode())).end();
  }

  private static StepRecord.Try triedOf(JsonObject one) {
    return new StepRecord.Try(word(StepRecord.Status.class, one.requiredText("status")), exitCodeOf(one),
        one.requiredInteger("duration"), orNull(one, "note"));
  }

  private static @Nullable Integer exitCodeOf(JsonObject step) {
    return step.get("exit_code") == null ? null : Math.toIntExact(step.requiredInteger("exit_code"));
  }

  private static JsonWriter moment(JsonWriter json, String key, @Nullable Instant moment) {
    return moment == null ? json : json.put(key, moment.toEpochMilli());
  }

  static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /**
   * @throws JsonException if the text is not JSON
   * @throws IllegalArgumentException if the JSON is not the document of a run
   */
  static Run read(String document) throws JsonException {
    JsonObject json = JsonReader.readObject(document);
    Run.Header header = new Run.Header(new RequestId(json.requiredText("request_id")),
        new Run.Subject(json.requiredText("intent"), json.requiredText("version"),
            word(Intent.Mode.class, json.requiredText("mode"))),
        new Run.Origin(actor(json), json.requiredText("metadata"),
            json.text("traceparent").flatMap(TraceContext::parse).orElse(null),
            json.text("again").map(RequestId::new).orElse(null)),
        Instant.ofEpochMilli(json.requiredInteger("created_at")),
        orNull(json, ORDER),
        json.text("lock_name").map(LeaseName::new).orElse(null),
        json.object("params").map(RunDocument::paramsOf).orElse(null),
        json.text("intent_digest").map(digest -> new Run.Declaration(digest,
            json.get("runs_on") == null ? List.of() : texts(json, "runs_on"), orNull(json, "plan"))).orElse(null));
    Run.Progress progress = new Run.Progress(stepsOf(json, "steps"), stepsOf(json, "rollback"),
        orNull(json, "failure_step"), orNull(json, "rollback_skipped"));
    String refusal = orNull(json, "refusal");
    return new Run(header, word(RunStatus.class, json.requiredText("status")),
        json.object("lock").map(RunDocument::lockOf).orElse(null), progress, texts(json, "warnings"),
        refusal == null ? null : RunRefusalJson.read(JsonReader.readObject(refusal)), momentOf(json, "finished_at"),
        orNull(json, "host_id"), foreignWaitOf(json), json.object(APPROVAL).map(ApprovalJson::read).orElse(null),
        Probed.read(json));
  }

  private static Run.@Nullable ForeignWait foreignWaitOf(JsonObject json) {
    JsonObject wait = json.object(FOREIGN_WAIT).orElse(null);
    return wait != null && RunRefusalJson.read(wait) instanceof RunRefusal.ForeignLocked(ForeignLock.Refusal refusal)
        ? new Run.ForeignWait(refusal, Instant.ofEpochMilli(wait.requiredInteger(SINCE)))
        : null;
  }

  private static Actor actor(JsonObject json) {
    return new Actor(json.requiredText("actor"), orNull(json, "on_behalf_of"),
        json.text("door").flatMap(Door::of).orElse(null));
  }

  private static Run.LockNote lockOf(JsonObject note) {
    return new Run.LockNote(new LeaseName(note.requiredText("name")), note.requiredText("path"),
        new Ttl(note.requiredInteger("ttl")),
        new FencingToken(note.requiredInteger("token")),
        word(Controls.Heartbeat.class, note.requiredText("heartbeat")), note.isTrue("stolen"),
        note.requiredInteger("heartbeat_failures"), note.isTrue("lost"));
  }

  private static List<StepRecord> stepsOf(JsonObject json, String key) {
    List<StepRecord> steps = new ArrayList<>();
    for (JsonValue item : items(json, key)) {
      JsonObject step = (JsonObject) item;
      Long outputSize = step.get("output") == null ? null : step.requiredInteger("output");
      steps.add(new StepRecord(step.requiredText("name"), word(StepRecord.Kind.class, step.requiredText("kind")),
          word(StepRecord.Status.class, step.requiredText("status")), exitCodeOf(step), momentOf(step, "started_at"),
          step.requiredInteger("duration"), orNull(step, "note"), outputSize,
          step.objects("tries").stream().map(RunDocument::triedOf).toList()));
    }
    return steps;
  }

  private static Run.Params paramsOf(JsonObject json) {
    return new Run.Params(json.requiredText("values"), texts(json, "secrets"));
  }

  private static List<String> texts(JsonObject json, String key) {
    return items(json, key).stream().map(text -> ((JsonValue.Text) text).value()).toList();
  }

  private static List<JsonValue> items(JsonObject json, String key) {
    if (json.get(key) instanceof JsonValue.Items items) {
      return items.values();
    }
    throw new IllegalArgumentException("no list " + key);
  }

  private static @Nullable String orNull(JsonObject json, String key) {
    return json.text(key).orElse(null);
  }

  private static @Nullable Instant momentOf(JsonObject json, String key) {
    return json.get(key) == null ? null : Instant.ofEpochMilli(json.requiredInteger(key));
  }

  private static <E extends Enum<E>> E word(Class<E> type, String word) {
    for (E known : type.getEnumConstants()) {
      if (known.name().equals(word.toUpperCase(Locale.ROOT))) {
        return known;
      }
    }
    throw new IllegalArgumentException("'" + word + "' is not a known word of a run");
  }
}
