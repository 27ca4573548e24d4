package fleet.tower.audit;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;

/** Something that happened to a lock, a run, a task, a mailbox or a token and that somebody may ask about later. State changes first, its event follows. */
public sealed interface AuditEvent {

  Instant timestamp();

  /** Of whose request it is; null where it is of none. */
  default @Nullable RequestId requestId() {
    return null;
  }

  /** Of which lock; null where it is of none. */
  default @Nullable LeaseName lockName() {
    return null;
  }

  /** Of which intent; null where the event does not say. */
  default @Nullable String intent() {
    return null;
  }

  /** Who caused it; null where nobody did, or nobody knows. */
  default @Nullable Origin origin() {
    return null;
  }

  /** Where an event needs to outlive a power cut: all that change who holds a lock do, a mere refusal does not. */
  default boolean isDurable() {
    return true;
  }

  /** An event of the specification: its line has exactly the members listed there, so who caused it follows in a {@link LockActor}. */
  sealed interface OfSpecification extends AuditEvent {
    @Override
    RequestId requestId();

    @Override
    LeaseName lockName();

    @Override
    Origin origin();
  }

  /** A lock was granted. */
  record LockAcquired(RequestId requestId, Instant timestamp, LeaseName lockName, String lockPath, Ttl ttl,
      Origin origin) implements OfSpecification {}

  /** A stale lock was taken by force; {@link LockAcquired} follows. */
  record LockStolen(RequestId requestId, Instant timestamp, LeaseName lockName, Lease previous, String previousHash,
      Origin origin) implements OfSpecification {}

  /** Its owner gave a lock back. */
  record LockReleased(RequestId requestId, Instant timestamp, LeaseName lockName, long heldSeconds, String result,
      @Nullable String failureStep, Origin origin) implements OfSpecification {}

  /** Several heartbeats in a row failed; once per streak. */
  record HeartbeatFailed(RequestId requestId, Instant timestamp, LeaseName lockName, String lockPath,
      int consecutiveFailures, String error, Instant lastHeartbeatAt, Origin origin) implements OfSpecification {}

  /** Who caused an event of the specification; {@code of} is that event's name. {@link AuditLog#append} adds it. */
  record LockActor(RequestId requestId, Instant timestamp, LeaseName lockName, String of, Origin origin)
      implements
        AuditEvent {
    static LockActor of(OfSpecification event) {
      return new LockActor(event.requestId(), event.timestamp(), event.lockName(), EventNames.of(event),
          event.origin());
    }
  }

  /**
   * A holder renewed its lock.
   *
   * @param lateSeconds how long the lock had been stale; 0 where it was renewed in time
   */
  record LockRenewed(RequestId requestId, Instant timestamp, LeaseName lockName, FencingToken token, long lateSeconds,
      Origin origin) implements AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** A lock should be gone and is not. */
  record LockReleaseFailed(RequestId requestId, Instant timestamp, LeaseName lockName, String lockPath, String error,
      Origin origin) implements OfSpecification {}

  /**
   * A holder found that the lock is not its own any more, or gave it up because it could not be renewed.
   *
   * @param error why the heartbeats before failed; null when none did
   */
  record LockLost(RequestId requestId, Instant timestamp, LeaseName lockName, String lockPath, FencingToken token,
      String reason, @Nullable Lease holder, @Nullable String error, Origin origin) implements AuditEvent {}

  /** An operator removed a lock, whoever held it; {@code previous} is null where the file could not be read. */
  record LockForceReleased(RequestId requestId, Instant timestamp, LeaseName lockName, String lockPath, String reason,
      @Nullable Lease previous, String previousHash, Origin origin) implements AuditEvent {}

  /** Somebody was refused; {@code error} is the code they were given. */
  record LockBlocked(RequestId requestId, Instant timestamp, LeaseName lockName, String error, @Nullable Lease holder,
      Origin origin) implements AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** The terms of a freeze, and who set it. */
  record Freezing(String actor, String reason, Ttl ttl, Instant expiresAt, @Nullable String onBehalfOf) {}

  /** New holders of a name were stopped for a while. */
  record LockFrozen(RequestId requestId, Instant timestamp, LeaseName lockName, Freezing freezing, Origin origin)
      implements
        AuditEvent {}

  /** A freeze was lifted before its time; {@code previous} is null where it could not be read. */
  record LockUnfrozen(RequestId requestId, Instant timestamp, LeaseName lockName, @Nullable Freezing previous,
      Origin origin) implements AuditEvent {}

  /** Another tool's lock is ours now; {@code foreignLock} as {@code beads:/srv/project/.beads}. */
  record ForeignLockAcquired(RequestId requestId, Instant timestamp, String foreignLock, String holder, long pid,
      Origin origin) implements AuditEvent {}

  /** We gave another tool's lock back. */
  record ForeignLockReleased(RequestId requestId, Instant timestamp, String foreignLock, String holder, Origin origin)
      implements
        AuditEvent {}

  /** Another tool's lock should be ours no more and is still. */
  record ForeignLockReleaseFailed(RequestId requestId, Instant timestamp, String foreignLock, String error,
      Origin origin)
      implements
        AuditEvent {}

  /** What a dead holder left of another tool's lock was removed. */
  record ForeignLockRemoved(RequestId requestId, Instant timestamp, String foreignLock, String holder, long pid,
      Origin origin) implements AuditEvent {}

  /** The file that serialises all who share a lock directory was replaced by somebody while it was in use. */
  record LockGuardReplaced(Instant timestamp, String lockDirectory) implements AuditEvent {}

  /** A run is let at its steps. What a power cut may take of it, the record of the run still has. */
  record RunStarted(RequestId requestId, Instant timestamp, String intent, String intentVersion, String mode,
      @Nullable LeaseName lockName, Origin origin) implements AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /**
   * A run has ended.
   *
   * @param rollback how undoing went: {@code none}, {@code success}, {@code failure}, or why it was skipped
   */
  record RunFinished(RequestId requestId, Instant timestamp, String intent, String status, String result,
      @Nullable String failureStep, String rollback, Origin origin) implements AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** A run was asked for that any executor may take. */
  record RunQueued(RequestId requestId, Instant timestamp, String intent, @Nullable LeaseName lockName, Origin origin)
      implements
        AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** An intent was due by its schedule and did not run; {@code reason} is the error code that a caller would have got. */
  record RunSkipped(RequestId requestId, Instant timestamp, String intent, @Nullable LeaseName lockName, String reason,
      Origin origin)
      implements
        AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** What somebody asked the service for. */
  record Call(String method, String path) {}

  /**
   * Somebody was not let in, or not let do what he wanted.
   *
   * @param origin who; null where nobody knows
   * @param remote the address that he called from
   * @param untold how many refusals were not written down before this one, because there were too many of that address, or of
   *     all addresses in a minute
   */
  record AccessDenied(Instant timestamp, String remote, Call call, String reason, int untold,
      @Nullable Origin origin) implements AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** What happened to a token that an operator gives to others; the token is never told, nor what is kept of it. */
  sealed interface OfToken extends AuditEvent {
    String name();

    String role();

    @Override
    Origin origin();
  }

  /** Somebody was given a token. */
  record TokenCreated(Instant timestamp, String name, String role, Origin origin) implements OfToken {}

  /** Somebody's token was taken away. */
  record TokenRevoked(Instant timestamp, String name, String role, Origin origin) implements OfToken {}

  /** Whose claim on a task is meant. */
  record TaskClaim(String taskId, String agent, long attempt) {}

  /** What happened to a claim on a task. What a power cut may take of it, the task's own events still have. */
  sealed interface OfTask extends AuditEvent {
    TaskClaim claim();

    @Override
    Origin origin();

    @Override
    default boolean isDurable() {
      return false;
    }
  }

  /** A task was claimed. */
  record TaskClaimed(RequestId requestId, Instant timestamp, TaskClaim claim, Origin origin) implements OfTask {}

  /** A claim had expired, and was taken away or over by the actor. */
  record TaskLost(RequestId requestId, Instant timestamp, TaskClaim claim, Origin origin) implements OfTask {}

  /** Its holder has closed a task; {@code outcome} is {@code done} or {@code blocked}. */
  record TaskClosed(RequestId requestId, Instant timestamp, TaskClaim claim, String outcome, Origin origin)
      implements
        OfTask {}

  /** What happened to a mailbox. What a power cut may take of it, the mailbox still shows. */
  sealed interface OfMailbox extends AuditEvent {
    String mailbox();

    @Override
    default boolean isDurable() {
      return false;
    }
  }

  /**
   * A message is offered no more; {@code cause} is {@code too_many_deliveries}, {@code unreadable} or {@code rejected}.
   *
   * @param error what a worker complained of, where one did
   */
  record MessageDead(Instant timestamp, String mailbox, String messageId, long deliveryCount, String cause,
      @Nullable String error, @Nullable Origin origin) implements OfMailbox {}

  /**
   * Dead letters were put back to be delivered.
   *
   * @param messageIds those that were named; empty where all were meant
   */
  record MailboxRevived(Instant timestamp, String mailbox, long messages, List<String> messageIds, Origin origin)
      implements
        OfMailbox {
    public MailboxRevived {
      messageIds = List.copyOf(messageIds);
    }
  }

  /** Messages, or dead letters, were thrown away unseen. */
  record MailboxPurged(Instant timestamp, String mailbox, boolean isOfDead, long messages, Origin origin)
      implements
        OfMailbox {}

  /** So many events before this one could not be written. */
  record AuditEventsLost(Instant timestamp, long lost) implements AuditEvent {}
}
