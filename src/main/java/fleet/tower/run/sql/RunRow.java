package fleet.tower.run.sql;

import java.sql.SQLException;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.Session;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;

/** The row of a run when it begins; texts have the form of {@link SqlRunStore#escaped}. */
record RunRow(String requestId, String actor, @Nullable String key, String digest, String executor, String intent,
    String status, long refused, long createdAt, @Nullable Long finishedAt, @Nullable String lockName,
    @Nullable String approval, @Nullable Long openUntil, String document) {
  private static final String INSERT = NamedValues.insertion("runs", "request_id, actor, idempotency_key, digest,"
      + " executor, intent, status, refused, created_at, finished_at, lock_name, approval, open_until, document")
      + " ON CONFLICT DO NOTHING RETURNING sequence";

  static RunRow of(RunStore.RequestKey claim, Run run, String executor) {
    String key = claim.key();
    LeaseName lock = run.header().lockName();
    return new RunRow(run.requestId().value(), SqlRunStore.escaped(claim.actor()),
        key == null ? null : SqlRunStore.escaped(key), SqlRunStore.escaped(claim.digest()),
        SqlRunStore.escaped(executor), SqlRunStore.escaped(run.intent()), run.status().toString(),
        refused(run),
        run.header().createdAt().toEpochMilli(), millis(run.finishedAt()), lock == null ? null : lock.value(),
        approval(run), openUntil(run), RunDocument.write(run));
  }

  /** The row in a record of the journal. */
  static RunRow of(JsonObject json) {
    return new RunRow(json.requiredText("run"), json.requiredText("actor"),
        json.text("key").orElse(null), json.requiredText("digest"), json.requiredText("executor"),
        json.requiredText("intent"), json.requiredText("status"),
        json.requiredInteger("refused"), json.requiredInteger("created_at"),
        json.get("finished_at") == null ? null : json.requiredInteger("finished_at"),
        json.text("lock_name").orElse(null), json.text("approval").orElse(null),
        json.get("open_until") == null ? null : json.requiredInteger("open_until"),
        json.requiredText("document"));
  }

  /** A record of the journal. */
  String record() {
    JsonWriter json = JsonWriter.line().put("run", requestId).put("actor", actor).put("key", key)
        .put("digest", digest).put("executor", executor).put("intent", intent).put("status", status)
        .put("refused", refused).put("created_at", createdAt);
    if (finishedAt != null) {
      json.put("finished_at", finishedAt);
    }
    if (openUntil != null) {
      json.put("open_until", openUntil);
    }
    return json.put("lock_name", lockName).put("approval", approval).put("document", document).end();
  }

  /** Inserts the row; returns false if its id or its key is in use. */
  boolean isInserted(Session session) throws SQLException {
    NamedValues values = new NamedValues().put("request_id", requestId).put("actor", actor)
        .put("idempotency_key", key).put("digest", digest).put("executor", executor).put("intent", intent)
        .put("status", status).put("refused", refused).put("created_at", createdAt).put("finished_at", finishedAt)
        .put("lock_name", lockName).put("approval", approval).put("open_until", openUntil).put("document", document);
    return session.first(INSERT, row -> row.getLong(1), values).isPresent();
  }

  static int refused(Run run) {
    return run.refusal() == null ? 0 : 1;
  }

  /** The state of its approval; null if it needs none. */
  static @Nullable String approval(Run run) {
    return run.approval() == null ? null : run.approval().state().toString();
  }

  /** Until when it may be approved; null if it does not wait for that. */
  static @Nullable Long openUntil(Run run) {
    return run.approval() != null && run.status() == RunStatus.AWAITING_APPROVAL
        ? millis(run.approval().expiresAt())
        : null;
  }

  static @Nullable Long millis(@Nullable Instant moment) {
    return moment == null ? null : moment.toEpochMilli();
  }
}
