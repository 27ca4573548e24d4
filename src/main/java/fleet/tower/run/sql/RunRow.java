package fleet.tower.run.sql;

import java.sql.SQLException;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.sql.Session;
import fleet.tower.run.Run;
import fleet.tower.run.RunStore;

/** The row of a run when it begins; texts have the form of {@link SqlRunStore#escaped}. */
record RunRow(String requestId, String actor, @Nullable String key, String digest, String executor, String intent,
    String status, long refused, long createdAt, @Nullable Long finishedAt, @Nullable String lockName,
    String document) {
  private static final String INSERT = """
      INSERT INTO runs (request_id, actor, idempotency_key, digest, executor, intent, status, refused, created_at, \
      finished_at, lock_name, document) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING sequence""";

  static RunRow of(RunStore.RequestKey claim, Run run, String executor) {
    String key = claim.key();
    LeaseName lock = run.header().lockName();
    return new RunRow(run.requestId().value(), SqlRunStore.escaped(claim.actor()),
        key == null ? null : SqlRunStore.escaped(key), SqlRunStore.escaped(claim.digest()),
        SqlRunStore.escaped(executor), SqlRunStore.escaped(run.intent()), run.status().toString(),
        refused(run),
        run.header().createdAt().toEpochMilli(), millis(run.finishedAt()), lock == null ? null : lock.value(),
        RunDocument.write(run));
  }

  /** The row in a record of the journal. */
  static RunRow of(JsonObject json) {
    return new RunRow(json.text("run").orElseThrow(), json.text("actor").orElseThrow(),
        json.text("key").orElse(null), json.text("digest").orElseThrow(), json.text("executor").orElseThrow(),
        json.text("intent").orElseThrow(), json.text("status").orElseThrow(),
        json.integer("refused").orElseThrow(), json.integer("created_at").orElseThrow(),
        json.get("finished_at") == null ? null : json.integer("finished_at").orElseThrow(),
        json.text("lock_name").orElse(null),
        json.text("document").orElseThrow());
  }

  /** A record of the journal. */
  String record() {
    JsonWriter json = JsonWriter.line().put("run", requestId).put("actor", actor).put("key", key)
        .put("digest", digest).put("executor", executor).put("intent", intent).put("status", status)
        .put("refused", refused).put("created_at", createdAt);
    if (finishedAt != null) {
      json.put("finished_at", finishedAt);
    }
    return json.put("lock_name", lockName).put("document", document).end();
  }

  /** Inserts the row; returns false if its id or its key is in use. */
  boolean isInserted(Session session) throws SQLException {
    return session
        .first(INSERT, row -> row.getLong(1), requestId, actor, key, digest, executor, intent, status, refused,
            createdAt, finishedAt, lockName, document)
        .isPresent();
  }

  static int refused(Run run) {
    return run.refusal() == null ? 0 : 1;
  }

  static @Nullable Long millis(@Nullable Instant moment) {
    return moment == null ? null : moment.toEpochMilli();
  }
}
