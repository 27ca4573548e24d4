package fleet.tower.audit.jsonl;

import static fleet.tower.platform.json.JsonWriter.line;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.EventNames;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Door;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/**
 * Writes an event as a JSON line: the specification's events with exactly its members in its order, others with the
 * same key names.
 */
final class AuditLines {
  private AuditLines() {}

  static String of(AuditEvent event) {
    JsonWriter json = members(event);
    Origin origin = event.origin();
    if (origin != null && !(event instanceof AuditEvent.OfSpecification)) {
      putOrigin(json, event, origin);
    }
    return json.end();
  }

  private static JsonWriter members(AuditEvent event) {
    return switch (event) {
      case AuditEvent.OfSpecification e -> ofSpecification(e);
      case AuditEvent.LockActor e -> start(e, e.lockName()).put("of", e.of());
      case AuditEvent.LockRenewed e -> start(e, e.lockName()).put("fencing_token", e.token().value())
          .put("late_by_seconds", e.lateSeconds());
      case AuditEvent.LockLost e -> putIfAny(start(e, e.lockName()).put("lock_path", e.lockPath())
          .put("fencing_token", e.token().value()).put("reason", e.reason()).put("held_by", previous(e.holder())),
          "error",
          e.error());
      case AuditEvent.LockForceReleased e -> putIfTrue(start(e, e.lockName()).put("lock_path", e.lockPath())
          .put("reason", e.reason()).put("previous_lock", previous(e.previous()))
          .put("previous_lock_hash", e.previousHash()), "abandoned", e.isAbandoned());
      case AuditEvent.LockRestored e -> start(e, e.lockName()).put("lock_path", e.lockPath())
          .put("fencing_token", e.lock().token().value()).put("held_by", previous(e.lock()));
      case AuditEvent.LockBlocked e -> start(e, e.lockName()).put("error", e.error())
          .put("held_by", previous(e.holder()));
      case AuditEvent.LockFrozen e -> start(e, e.lockName()).members(terms(line(), e.terms()));
      case AuditEvent.LockUnfrozen e -> start(e, e.lockName()).put("previous_freeze", freeze(e.previous()));
      case AuditEvent.HaltPlaced e -> start(e, null).put("halt", e.halt()).members(terms(line(), e.terms()));
      case AuditEvent.HaltLifted e -> start(e, null).put("halt", e.halt()).put("previous_halt", halt(e.previous()));
      case AuditEvent.ForeignLockAcquired e -> start(e, null).put("foreign_lock", e.foreignLock())
          .put("holder", e.holder()).put("pid", e.pid());
      case AuditEvent.ForeignLockReleased e -> start(e, null).put("foreign_lock", e.foreignLock())
          .put("holder", e.holder());
      case AuditEvent.ForeignLockReleaseFailed e -> start(e, null).put("foreign_lock", e.foreignLock())
          .put("error", e.error()).put("action", "manual_cleanup_required");
      case AuditEvent.ForeignLockRemoved e -> start(e, null).put("foreign_lock", e.foreignLock())
          .put("holder", e.holder()).put("pid", e.pid()).put("reason", "holder_dead");
      case AuditEvent.LockGuardReplaced e -> start(e, null).put("lock_directory", e.lockDirectory());
      case AuditEvent.HomeMoved e -> start(e, null).put("home", e.home()).put("to", e.to());
      case AuditEvent.RunStarted e -> run(e, e.intent()).put("intent_version", e.intentVersion())
          .put("mode", e.mode());
      case AuditEvent.RunFinished e -> finished(e);
      case AuditEvent.RunApprovalRequested e -> run(e, e.intent()).put("plan_hash", e.planHash())
          .list("principals", e.principals().stream().map(JsonWriter::quote).toList()).put("need", e.need())
          .put("expires_at", e.expiresAt());
      case AuditEvent.OfBallot e -> ballot(e, e.ballot());
      case AuditEvent.RunApprovalExpired e -> run(e, e.intent()).put("plan_hash", e.planHash()).put("have", e.have())
          .put("need", e.need());
      case AuditEvent.RunQueued e -> run(e, e.intent());
      case AuditEvent.RunCancelRequested e -> run(e, e.intent());
      case AuditEvent.RunSkipped e -> run(e, e.intent()).put("reason", e.reason());
      case AuditEvent.RunRefused e -> run(e, e.intent()).put("error", e.error());
      case AuditEvent.RunSettled e ->
        run(e, e.intent()).put("settled", e.settled()).put("fingerprint", e.fingerprint());
      case AuditEvent.DriftFound e -> run(e, e.intent()).put("differences", e.differences());
      case AuditEvent.DriftRepaired e -> run(e, e.intent()).put("since", e.since());
      case AuditEvent.WouldRefuse e -> start(e, e.lockName()).put("rule", e.rule()).put("kind", e.kind());
      case AuditEvent.AccessDenied e -> denied(e);
      case AuditEvent.OfTask e -> task(e);
      case AuditEvent.OfMailbox e -> mailbox(e);
      case AuditEvent.OfToken e -> start(e, null).put("name", e.name()).put("role", e.role());
      case AuditEvent.AuditEventsLost e -> start(e, null).put("lost", e.lost());
    };
  }

  private static JsonWriter ballot(AuditEvent event, AuditEvent.Ballot ballot) {
    JsonWriter json = run(event, ballot.intent()).put("plan_hash", ballot.planHash())
        .put("principal", ballot.principal()).put("have", ballot.have()).put("need", ballot.need());
    return putIfAny(putIfAny(json, "reason", ballot.reason()), "standing", ballot.standing());
  }

  private static JsonWriter ofSpecification(AuditEvent.OfSpecification event) {
    JsonWriter json = start(event, event.lockName());
    return switch (event) {
      case AuditEvent.LockAcquired e -> json.put("lock_path", e.lockPath()).put("ttl_seconds", e.ttl().seconds());
      case AuditEvent.LockStolen e -> json.put("previous_lock", previous(e.previous()))
          .put("previous_lock_hash", e.previousHash()).put("reason", "stale_lock_forced");
      case AuditEvent.LockReleased e -> putIfAny(
          json.put("held_duration_seconds", e.heldSeconds()).put("result", e.result()), "failure_step",
          e.failureStep());
      case AuditEvent.LockReleaseFailed e -> json.put("lock_path", e.lockPath()).put("error", e.error())
          .put("action", "manual_cleanup_required");
      case AuditEvent.HeartbeatFailed e -> json.put("lock_path", e.lockPath())
          .put("consecutive_failures", e.consecutiveFailures()).put("error", e.error())
          .put("last_heartbeat_at", e.lastHeartbeatAt());
    };
  }

  /** Adds the origin; an event with its own intent or pid keeps that. */
  private static void putOrigin(JsonWriter json, AuditEvent event, Origin origin) {
    Door door = origin.actor().door();
    json.put("actor", origin.actor().name());
    putIfAny(json, "on_behalf_of", origin.actor().onBehalfOf());
    putIfAny(json, "door", door == null ? null : door.toString());
    putIfAny(json, "intent", event.intent() == null ? origin.intent() : null);
    putIfAny(json, "host_id", origin.hostId());
    boolean saysPid = event instanceof AuditEvent.ForeignLockAcquired || event instanceof AuditEvent.ForeignLockRemoved;
    if (origin.pid() != null && !saysPid) {
      json.put("pid", origin.pid());
    }
    putIfAny(json, "reason", origin.reason());
  }

  private static JsonWriter putIfAny(JsonWriter json, String name, @Nullable String value) {
    return value == null ? json : json.put(name, value);
  }

  private static JsonWriter putIfTrue(JsonWriter json, String name, boolean value) {
    return value ? json.put(name, true) : json;
  }

  private static JsonWriter denied(AuditEvent.AccessDenied event) {
    JsonWriter json = start(event, null);
    if (event.call() != null) {
      json.put("remote", event.call().remote()).put("method", event.call().method()).put("path", event.call().path());
    }
    if (event.request() != null) {
      json.put("mcp_method", event.request().method());
      putIfAny(json, "tool", event.request().tool());
      json.put("arguments", event.request().arguments());
    }
    json.put("reason", event.reason());
    return event.omitted() == 0 ? json : json.put("untold", event.omitted());
  }

  /** Parses a line; empty if it is torn or not an event. */
  static Optional<AuditTrail.Entry> parse(String line) {
    try {
      JsonObject json = JsonReader.readObject(line);
      return json.text("timestamp").flatMap(Timestamps::parse)
          .flatMap(timestamp -> json.text("event").map(event -> new AuditTrail.Entry(line, timestamp, event,
              json.text("lock_name").orElse(null), json.text("request_id").orElse(null))));
    } catch (JsonException torn) {
      return Optional.empty();
    }
  }

  private static JsonWriter finished(AuditEvent.RunFinished e) {
    JsonWriter json = run(e, e.intent()).put("status", e.status()).put("result", e.result());
    return putIfAny(json, "failure_step", e.failureStep()).put("rollback", e.rollback());
  }

  private static JsonWriter run(AuditEvent event, String intent) {
    JsonWriter json = start(event, null).put("intent", intent);
    LeaseName name = event.lockName();
    return putIfAny(json, "lock_name", name == null ? null : name.value());
  }

  private static JsonWriter task(AuditEvent.OfTask event) {
    JsonWriter json = start(event, null).put("task_id", event.claim().taskId()).put("agent", event.claim().agent())
        .put("attempt", event.claim().attempt());
    return switch (event) {
      case AuditEvent.TaskClaimed _,AuditEvent.TaskLost _ -> json;
      case AuditEvent.TaskClosed e -> json.put("outcome", e.outcome());
    };
  }

  private static JsonWriter mailbox(AuditEvent.OfMailbox event) {
    JsonWriter json = start(event, null).put("mailbox", event.mailbox());
    return switch (event) {
      case AuditEvent.MessageDead e -> json.put("message_id", e.messageId()).put("delivery_count", e.deliveryCount())
          .put("cause", e.cause()).put("error", e.error());
      case AuditEvent.MailboxPurged e -> json.put("dead", e.isOfDead()).put("messages", e.messages());
      case AuditEvent.MailboxRevived e -> json.put("messages", e.messages()).list("message_ids",
          e.messageIds().stream().map(JsonWriter::quote).toList());
    };
  }

  private static JsonWriter start(AuditEvent event, @Nullable LeaseName name) {
    RequestId requestId = event.requestId();
    JsonWriter json = line().put("event", EventNames.of(event));
    putIfAny(json, "request_id", requestId == null ? null : requestId.value()).put("timestamp", event.timestamp());
    return putIfAny(json, "lock_name", name == null ? null : name.value());
  }

  private static @Nullable JsonWriter freeze(AuditEvent.@Nullable FreezeTerms freeze) {
    return freeze == null
        ? null
        : terms(putIfAny(line().put("actor", freeze.actor()), "on_behalf_of", freeze.onBehalfOf()), freeze);
  }

  private static JsonWriter terms(JsonWriter json, AuditEvent.FreezeTerms freeze) {
    return json.put("reason", freeze.reason()).put("ttl_seconds", freeze.ttl().seconds())
        .put("expires_at", freeze.expiresAt());
  }

  private static @Nullable JsonWriter halt(AuditEvent.@Nullable HaltTerms halt) {
    return halt == null
        ? null
        : terms(putIfAny(line().put("actor", halt.actor()), "on_behalf_of", halt.onBehalfOf()), halt);
  }

  private static JsonWriter terms(JsonWriter json, AuditEvent.HaltTerms halt) {
    Instant end = halt.expiresAt();
    json.put("level", halt.level()).put("scope", line().list("actors", quoted(halt.scope().actors()))
        .list("intents", quoted(halt.scope().intents())).list("locks", quoted(halt.scope().locks()))
        .put("all", halt.scope().all())).put("reason", halt.reason());
    return putIfAny(json, "expires_at", end == null ? null : Timestamps.format(end));
  }

  private static List<String> quoted(List<String> texts) {
    return texts.stream().map(JsonWriter::quote).toList();
  }

  /** A holder in the stored form, which never changes; what callers read may gain members. */
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
