package fleet.tower.audit.jsonl;

import static fleet.tower.json.JsonWriter.line;

import java.time.Instant;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEntry;
import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.EventNames;
import fleet.tower.json.JsonException;
import fleet.tower.json.JsonObject;
import fleet.tower.json.JsonReader;
import fleet.tower.json.JsonWriter;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.time.Timestamps;

/** An event as a line: the specification's events with exactly its members in its order, ours with the same key names. */
final class AuditLines {
  private AuditLines() {}

  static String of(AuditEvent event) {
    return switch (event) {
      case AuditEvent.LockAcquired e -> start(EventNames.of(e), e.requestId(), e.timestamp(), e.lockName())
          .put("lock_path", e.lockPath()).put("ttl_seconds", e.ttl().seconds()).end();
      case AuditEvent.LockStolen e -> start(EventNames.of(e), e.requestId(), e.timestamp(), e.lockName())
          .put("previous_lock", previous(e.previous())).put("previous_lock_hash", e.previousHash())
          .put("reason", "stale_lock_forced").end();
      case AuditEvent.LockReleased e -> released(e);
      case AuditEvent.LockReleaseFailed e -> start(EventNames.of(e), e.requestId(), e.timestamp(), e.lockName())
          .put("lock_path", e.lockPath()).put("error", e.error()).put("action", "manual_cleanup_required").end();
      case AuditEvent.HeartbeatFailed e -> start(EventNames.of(e), e.requestId(), e.timestamp(), e.lockName())
          .put("lock_path", e.lockPath()).put("consecutive_failures", e.consecutiveFailures()).put("error", e.error())
          .put("last_heartbeat_at", e.lastHeartbeatAt()).end();
      case AuditEvent.LockLost e -> lost(e);
      case AuditEvent.LockForceReleased e -> start(EventNames.of(e), e.requestId(), e.timestamp(), e.lockName())
          .put("lock_path", e.lockPath()).members(by(e.actor(), e.onBehalfOf())).put("reason", e.reason())
          .put("previous_lock", previous(e.previous())).put("previous_lock_hash", e.previousHash()).end();
      case AuditEvent.LockBlocked e -> start(EventNames.of(e), e.requestId(), e.timestamp(), e.lockName())
          .put("error", e.error()).put("held_by", previous(e.holder())).end();
      case AuditEvent.LockFrozen e -> start(EventNames.of(e), e.requestId(), e.timestamp(), e.lockName())
          .members(freezing(e.freezing())).end();
      case AuditEvent.LockUnfrozen e -> start(EventNames.of(e), e.requestId(), e.timestamp(), e.lockName())
          .members(by(e.actor(), e.onBehalfOf()))
          .put("previous_freeze", e.previous() == null ? null : freezing(e.previous())).end();
      case AuditEvent.ForeignLockAcquired e -> foreign(EventNames.of(e), e.requestId(), e.timestamp(),
          e.foreignLock()).put("holder", e.holder()).put("pid", e.pid()).end();
      case AuditEvent.ForeignLockReleased e -> foreign(EventNames.of(e), e.requestId(), e.timestamp(),
          e.foreignLock()).put("holder", e.holder()).end();
      case AuditEvent.ForeignLockReleaseFailed e -> foreign(EventNames.of(e), e.requestId(), e.timestamp(),
          e.foreignLock()).put("error", e.error()).put("action", "manual_cleanup_required").end();
      case AuditEvent.ForeignLockRemoved e -> foreign(EventNames.of(e), e.requestId(), e.timestamp(),
          e.foreignLock()).put("holder", e.holder()).put("pid", e.pid()).put("reason", "holder_dead").end();
      case AuditEvent.LockGuardReplaced e -> line().put("event", EventNames.of(e)).put("timestamp", e.timestamp())
          .put("lock_directory", e.lockDirectory()).end();
      case AuditEvent.RunStarted e -> run(EventNames.of(e), e.requestId(), e.timestamp(), e.intent(), e.lockName())
          .put("intent_version", e.intentVersion()).put("mode", e.mode()).put("actor", e.actor()).end();
      case AuditEvent.RunFinished e -> finished(e);
      case AuditEvent.RunQueued e -> run(EventNames.of(e), e.requestId(), e.timestamp(), e.intent(), e.lockName())
          .put("actor", e.actor()).end();
      case AuditEvent.RunSkipped e -> run(EventNames.of(e), e.requestId(), e.timestamp(), e.intent(), e.lockName())
          .put("reason", e.reason()).end();
      case AuditEvent.AccessDenied e -> denied(e);
      case AuditEvent.OfTask e -> task(e);
      case AuditEvent.OfMailbox e -> mailbox(e);
      case AuditEvent.OfToken e -> line().put("event", EventNames.of(e)).put("timestamp", e.timestamp())
          .put("name", e.name()).put("role", e.role()).put("actor", e.actor()).end();
    };
  }

  private static JsonWriter by(@Nullable String actor, @Nullable String onBehalfOf) {
    JsonWriter json = line();
    if (actor != null) {
      json.put("actor", actor);
    }
    return onBehalfOf == null ? json : json.put("on_behalf_of", onBehalfOf);
  }

  private static String denied(AuditEvent.AccessDenied event) {
    JsonWriter json = line().put("event", EventNames.of(event)).put("timestamp", event.timestamp())
        .members(by(event.actor(), event.onBehalfOf())).put("remote", event.remote())
        .put("method", event.call().method()).put("path", event.call().path())
        .put("reason", event.reason());
    return (event.untold() == 0 ? json : json.put("untold", event.untold())).end();
  }

  /** Reads a line back; nothing where it is torn or not an event. */
  static Optional<AuditEntry> parse(String line) {
    try {
      JsonObject json = JsonReader.readObject(line);
      return json.text("timestamp").flatMap(Timestamps::parse)
          .flatMap(timestamp -> json.text("event").map(event -> new AuditEntry(line, timestamp, event,
              json.text("lock_name").orElse(null), json.text("request_id").orElse(null))));
    } catch (JsonException torn) {
      return Optional.empty();
    }
  }

  private static String released(AuditEvent.LockReleased e) {
    JsonWriter json = start(EventNames.of(e), e.requestId(), e.timestamp(), e.lockName())
        .put("held_duration_seconds", e.heldSeconds()).put("result", e.result());
    return (e.failureStep() == null ? json : json.put("failure_step", e.failureStep())).end();
  }

  private static String lost(AuditEvent.LockLost e) {
    JsonWriter json = start(EventNames.of(e), e.requestId(), e.timestamp(), e.lockName())
        .put("lock_path", e.lockPath()).put("fencing_token", e.token().value()).put("reason", e.reason())
        .put("held_by", previous(e.holder()));
    return (e.error() == null ? json : json.put("error", e.error())).end();
  }

  private static String finished(AuditEvent.RunFinished e) {
    JsonWriter json = run(EventNames.of(e), e.requestId(), e.timestamp(), e.intent(), null).put("status", e.status())
        .put("result", e.result());
    return (e.failureStep() == null ? json : json.put("failure_step", e.failureStep())).put("rollback", e.rollback())
        .end();
  }

  private static JsonWriter run(String event, RequestId requestId, Instant timestamp, String intent,
      @Nullable LeaseName name) {
    JsonWriter json = line().put("event", event).put("request_id", requestId.value()).put("timestamp", timestamp)
        .put("intent", intent);
    return name == null ? json : json.put("lock_name", name.value());
  }

  private static JsonWriter foreign(String event, RequestId requestId, Instant timestamp, String name) {
    return line().put("event", event).put("request_id", requestId.value()).put("timestamp", timestamp)
        .put("foreign_lock", name);
  }

  private static String task(AuditEvent.OfTask event) {
    return switch (event) {
      case AuditEvent.TaskClaimed e -> task(EventNames.of(e), e.requestId(), e).members(by(null, e.onBehalfOf())).end();
      case AuditEvent.TaskLost e ->
        task(EventNames.of(e), e.requestId(), e).members(by(e.actor(), e.onBehalfOf())).end();
      case AuditEvent.TaskClosed e -> task(EventNames.of(e), e.requestId(), e).put("outcome", e.outcome())
          .members(by(null, e.onBehalfOf())).end();
    };
  }

  private static JsonWriter task(String event, RequestId requestId, AuditEvent.OfTask e) {
    return line().put("event", event).put("request_id", requestId.value()).put("timestamp", e.timestamp())
        .put("task_id", e.claim().taskId()).put("agent", e.claim().agent()).put("attempt", e.claim().attempt());
  }

  private static String mailbox(AuditEvent.OfMailbox event) {
    return switch (event) {
      case AuditEvent.MessageDead e -> line().put("event", EventNames.of(e)).put("timestamp", e.timestamp())
          .put("mailbox", e.mailbox()).put("message_id", e.messageId()).put("delivery_count", e.deliveryCount())
          .put("cause", e.cause()).put("error", e.error()).members(by(null, e.onBehalfOf())).end();
      case AuditEvent.MailboxPurged e -> line().put("event", EventNames.of(e)).put("timestamp", e.timestamp())
          .put("mailbox", e.mailbox()).members(by(e.actor(), e.onBehalfOf())).put("dead", e.isOfDead())
          .put("messages", e.messages()).end();
      case AuditEvent.MailboxRevived e -> line().put("event", EventNames.of(e)).put("timestamp", e.timestamp())
          .put("mailbox", e.mailbox()).members(by(e.actor(), e.onBehalfOf())).put("messages", e.messages())
          .list("message_ids", e.messageIds().stream().map(JsonWriter::quote).toList()).end();
    };
  }

  private static JsonWriter start(String event, RequestId requestId, Instant timestamp, LeaseName name) {
    return line().put("event", event).put("request_id", requestId.value()).put("timestamp", timestamp)
        .put("lock_name", name.value());
  }

  private static JsonWriter freezing(AuditEvent.Freezing freezing) {
    return by(freezing.actor(), freezing.onBehalfOf()).put("reason", freezing.reason())
        .put("ttl_seconds", freezing.ttl().seconds()).put("expires_at", freezing.expiresAt());
  }

  private static @Nullable JsonWriter previous(@Nullable Lease lease) {
    if (lease == null) {
      return null;
    }
    Holder holder = lease.holder();
    return line().put("request_id", lease.requestId().value()).put("actor", holder.actor())
        .put("intent", holder.intent()).put("created_at", lease.createdAt())
        .put("last_heartbeat_at", lease.lastHeartbeatAt()).put("host_id", holder.hostId()).put("pid", holder.pid());
  }
}
