package fleet.tower.audit;

import java.util.List;
import java.util.Set;

import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.text.Nearest;

/** The names of the events in the log and in metrics. */
public final class EventNames {
  /** All names that this release or an older one writes. */
  public static final List<String> ALL = List.of("lock_acquired", "lock_stolen", "lock_released", "lock_actor",
      "lock_renewed", "lock_release_failed", "heartbeat_failed", "lock_lost", "lock_force_released", "lock_restored",
      "lock_blocked",
      "lock_frozen", "lock_unfrozen", "halt_placed", "halt_lifted",
      "foreign_lock_acquired", "foreign_lock_released", "foreign_lock_release_failed", "foreign_lock_removed",
      "lock_guard_replaced", "home_moved", "run_started", "run_finished", "run_queued", "run_cancel_requested",
      "run_approval_requested", "run_approved", "run_rejected", "run_approval_expired", "run_skipped", "run_refused",
      "run_settled", "drift_found", "drift_repaired",
      "would_refuse",
      "task_claimed", "task_lost", "task_closed", "message_dead", "mailbox_revived", "mailbox_purged", "access_denied",
      "token_created", "token_rotated", "token_revoked", "audit_events_lost");

  /** The events of the specification, each of which is followed by {@link #LOCK_ACTOR}. */
  public static final Set<String> OF_SPECIFICATION = Set.of("lock_acquired", "lock_stolen", "lock_released",
      "lock_release_failed", "heartbeat_failed");

  public static final String LOCK_ACTOR = "lock_actor";

  private EventNames() {}

  /** Checks the name of an event; rejects unknown names. */
  public static String known(String name) {
    if (ALL.contains(name)) {
      return name;
    }
    List<String> near = Nearest.all(name, ALL);
    throw new InvalidValue(InvalidValue.Kind.REQUEST, "unknown event " + InvalidValue.shown(name)
        + (near.isEmpty()
            ? "; the events are " + String.join(", ", ALL)
            : "; did you mean " + String.join(" or ", near) + "?"));
  }

  public static String of(AuditEvent event) {
    return switch (event) {
      case AuditEvent.LockAcquired _ -> "lock_acquired";
      case AuditEvent.LockStolen _ -> "lock_stolen";
      case AuditEvent.LockReleased _ -> "lock_released";
      case AuditEvent.LockActor _ -> LOCK_ACTOR;
      case AuditEvent.LockRenewed _ -> "lock_renewed";
      case AuditEvent.LockReleaseFailed _ -> "lock_release_failed";
      case AuditEvent.HeartbeatFailed _ -> "heartbeat_failed";
      case AuditEvent.LockLost _ -> "lock_lost";
      case AuditEvent.LockForceReleased _ -> "lock_force_released";
      case AuditEvent.LockRestored _ -> "lock_restored";
      case AuditEvent.LockBlocked _ -> "lock_blocked";
      case AuditEvent.LockFrozen _ -> "lock_frozen";
      case AuditEvent.LockUnfrozen _ -> "lock_unfrozen";
      case AuditEvent.HaltPlaced _ -> "halt_placed";
      case AuditEvent.HaltLifted _ -> "halt_lifted";
      case AuditEvent.ForeignLockAcquired _ -> "foreign_lock_acquired";
      case AuditEvent.ForeignLockReleased _ -> "foreign_lock_released";
      case AuditEvent.ForeignLockReleaseFailed _ -> "foreign_lock_release_failed";
      case AuditEvent.ForeignLockRemoved _ -> "foreign_lock_removed";
      case AuditEvent.LockGuardReplaced _ -> "lock_guard_replaced";
      case AuditEvent.HomeMoved _ -> "home_moved";
      case AuditEvent.RunStarted _ -> "run_started";
      case AuditEvent.RunFinished _ -> "run_finished";
      case AuditEvent.RunApprovalRequested _ -> "run_approval_requested";
      case AuditEvent.RunApproved _ -> "run_approved";
      case AuditEvent.RunRejected _ -> "run_rejected";
      case AuditEvent.RunApprovalExpired _ -> "run_approval_expired";
      case AuditEvent.RunQueued _ -> "run_queued";
      case AuditEvent.RunCancelRequested _ -> "run_cancel_requested";
      case AuditEvent.RunSkipped _ -> "run_skipped";
      case AuditEvent.RunRefused _ -> "run_refused";
      case AuditEvent.RunSettled _ -> "run_settled";
      case AuditEvent.DriftFound _ -> "drift_found";
      case AuditEvent.DriftRepaired _ -> "drift_repaired";
      case AuditEvent.WouldRefuse _ -> "would_refuse";
      case AuditEvent.AccessDenied _ -> "access_denied";
      case AuditEvent.TaskClaimed _ -> "task_claimed";
      case AuditEvent.TaskLost _ -> "task_lost";
      case AuditEvent.TaskClosed _ -> "task_closed";
      case AuditEvent.MessageDead _ -> "message_dead";
      case AuditEvent.MailboxRevived _ -> "mailbox_revived";
      case AuditEvent.MailboxPurged _ -> "mailbox_purged";
      case AuditEvent.TokenCreated _ -> "token_created";
      case AuditEvent.TokenRotated _ -> "token_rotated";
      case AuditEvent.TokenRevoked _ -> "token_revoked";
      case AuditEvent.AuditEventsLost _ -> "audit_events_lost";
    };
  }
}
