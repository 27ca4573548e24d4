package fleet.tower.audit;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;

/** An event in the life of a lock, a run, a task, a mailbox or a token. It is written after the state has changed. */
public sealed interface AuditEvent {

  Instant timestamp();

  /** The request that the event belongs to; null if there is none. */
  default @Nullable RequestId requestId() {
    return null;
  }

  /** The lock that the event concerns; null if there is none. */
  default @Nullable LeaseName lockName() {
    return null;
  }

  /** The intent that the event concerns; null if the event does not contain it. */
  default @Nullable String intent() {
    return null;
  }

  /** The origin of the event; null if there is none or it is unknown. */
  default @Nullable Origin origin() {
    return null;
  }

  /**
   * Whether the event must survive a power failure: all events that change the holder of a lock do, a refusal does
   * not.
   */
  default boolean isDurable() {
    return true;
  }

  /**
   * An event of the specification. Its line has exactly the members listed there, so its origin follows in a {@link
   * LockActor}.
   */
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

  /** A lock was released by its owner. */
  record LockReleased(RequestId requestId, Instant timestamp, LeaseName lockName, long heldSeconds, String result,
      @Nullable String failureStep, Origin origin) implements OfSpecification {}

  /** Several consecutive heartbeats failed; written once per series. */
  record HeartbeatFailed(RequestId requestId, Instant timestamp, LeaseName lockName, String lockPath,
      int consecutiveFailures, String error, Instant lastHeartbeatAt, Origin origin) implements OfSpecification {}

  /** The origin of an event of the specification; {@code of} is that event's name. {@link AuditLog#append} adds it. */
  record LockActor(RequestId requestId, Instant timestamp, LeaseName lockName, String of, Origin origin)
      implements
        AuditEvent {
    static LockActor of(OfSpecification event) {
      return new LockActor(event.requestId(), event.timestamp(), event.lockName(), EventNames.of(event),
          event.origin());
    }
  }

  /**
   * A lock was renewed by its holder.
   *
   * @param lateSeconds for how long the lock had been stale; 0 if it was renewed in time
   */
  record LockRenewed(RequestId requestId, Instant timestamp, LeaseName lockName, FencingToken token, long lateSeconds,
      Origin origin) implements AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** The release of a lock failed. */
  record LockReleaseFailed(RequestId requestId, Instant timestamp, LeaseName lockName, String lockPath, String error,
      Origin origin) implements OfSpecification {}

  /**
   * A holder lost its lock, or gave it up because it could not be renewed.
   *
   * @param error the error of the failed heartbeats before; null if there were none
   */
  record LockLost(RequestId requestId, Instant timestamp, LeaseName lockName, String lockPath, FencingToken token,
      String reason, @Nullable Lease holder, @Nullable String error, Origin origin) implements AuditEvent {}

  /**
   * A lock was removed by an operator; the previous lock is null if its file could not be read.
   *
   * @param isAbandoned whether it was taken from a live run
   */
  record LockForceReleased(RequestId requestId, Instant timestamp, LeaseName lockName, String lockPath, String reason,
      @Nullable Lease previous, String previousHash, boolean isAbandoned, Origin origin) implements AuditEvent {}

  /** A lock that a power failure had taken was put back. */
  record LockRestored(Instant timestamp, String lockPath, Lease lock) implements AuditEvent {
    @Override
    public RequestId requestId() {
      return lock.requestId();
    }

    @Override
    public LeaseName lockName() {
      return lock.name();
    }
  }

  /** A lock request was refused; {@code error} is the code that the caller received. */
  record LockBlocked(RequestId requestId, Instant timestamp, LeaseName lockName, String error, @Nullable Lease holder,
      Origin origin) implements AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** The terms of a freeze and the actor that set it. */
  record FreezeTerms(String actor, String reason, Ttl ttl, Instant expiresAt, @Nullable String onBehalfOf) {}

  /** A name was frozen for new holders. */
  record LockFrozen(RequestId requestId, Instant timestamp, LeaseName lockName, FreezeTerms terms, Origin origin)
      implements
        AuditEvent {}

  /** A freeze was lifted early; the previous freeze is null if it could not be read. */
  record LockUnfrozen(RequestId requestId, Instant timestamp, LeaseName lockName, @Nullable FreezeTerms previous,
      Origin origin) implements AuditEvent {}

  /** What a halt covers: what matches every list that is not empty, or everything. */
  record HaltScope(List<String> actors, List<String> intents, List<String> locks, boolean all) {
    public HaltScope {
      actors = List.copyOf(actors);
      intents = List.copyOf(intents);
      locks = List.copyOf(locks);
    }
  }

  /** The terms of a halt and the actor that placed it. */
  record HaltTerms(String actor, @Nullable String onBehalfOf, String level, HaltScope scope, String reason,
      @Nullable Instant expiresAt) {}

  /** A halt was placed or replaced: nothing that it covers begins any more. */
  record HaltPlaced(RequestId requestId, Instant timestamp, String halt, HaltTerms terms, Origin origin)
      implements
        AuditEvent {}

  /** A halt was lifted early; the previous halt is null if it could not be read. */
  record HaltLifted(RequestId requestId, Instant timestamp, String halt, @Nullable HaltTerms previous, Origin origin)
      implements
        AuditEvent {}

  /** Another tool's lock was acquired, for example {@code beads:/srv/project/.beads}. */
  record ForeignLockAcquired(RequestId requestId, Instant timestamp, String foreignLock, String holder, long pid,
      Origin origin) implements AuditEvent {}

  /** Another tool's lock was released. */
  record ForeignLockReleased(RequestId requestId, Instant timestamp, String foreignLock, String holder, Origin origin)
      implements
        AuditEvent {}

  /** The release of another tool's lock failed. */
  record ForeignLockReleaseFailed(RequestId requestId, Instant timestamp, String foreignLock, String error,
      Origin origin)
      implements
        AuditEvent {}

  /** Another tool's lock, left by a dead holder, was removed. */
  record ForeignLockRemoved(RequestId requestId, Instant timestamp, String foreignLock, String holder, long pid,
      Origin origin) implements AuditEvent {}

  /** The file that serializes the users of a lock directory was replaced while in use. */
  record LockGuardReplaced(Instant timestamp, String lockDirectory) implements AuditEvent {}

  /** The locks, runs, tasks and mailboxes of a home were moved to the database of a fleet. */
  record HomeMoved(Instant timestamp, String home, String to, Origin origin) implements AuditEvent {}

  /** A run started. If a power failure loses the event, the record of the run still contains it. */
  record RunStarted(RequestId requestId, Instant timestamp, String intent, String intentVersion, String mode,
      @Nullable LeaseName lockName, Origin origin) implements AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /**
   * A run ended.
   *
   * @param rollback the result of the rollback: {@code none}, {@code success}, {@code failure}, or why it was skipped
   */
  record RunFinished(RequestId requestId, Instant timestamp, String intent, String status, String result,
      @Nullable String failureStep, String rollback, Origin origin) implements AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** A run was queued for any executor. */
  record RunQueued(RequestId requestId, Instant timestamp, String intent, @Nullable LeaseName lockName, Origin origin)
      implements
        AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /**
   * A run waits for its approval.
   *
   * @param principals who requested it, and for whom
   * @param need the number of persons who must approve it
   */
  record RunApprovalRequested(RequestId requestId, Instant timestamp, String intent, @Nullable LeaseName lockName,
      String planHash, List<String> principals, int need, Instant expiresAt, Origin origin) implements AuditEvent {
    public RunApprovalRequested {
      principals = List.copyOf(principals);
    }
  }

  /**
   * A person said something about a run that waits for its approval.
   *
   * @param standing the earlier run with which the person approved later ones, too; null for a vote on this run
   */
  record Ballot(String intent, String planHash, String principal, int have, int need, @Nullable String reason,
      @Nullable String standing) {}

  /** What a person said about a run. */
  sealed interface OfBallot extends AuditEvent {
    Ballot ballot();

    @Override
    default String intent() {
      return ballot().intent();
    }
  }

  /** A person approved a run, or an earlier approval was used for it. */
  record RunApproved(RequestId requestId, Instant timestamp, @Nullable LeaseName lockName, Ballot ballot,
      Origin origin) implements OfBallot {}

  /** A person rejected a run, or revoked approvals for later runs. */
  record RunRejected(RequestId requestId, Instant timestamp, @Nullable LeaseName lockName, Ballot ballot,
      Origin origin) implements OfBallot {}

  /** Not enough persons approved a run in time, or it did not begin in time after that. */
  record RunApprovalExpired(RequestId requestId, Instant timestamp, String intent, @Nullable LeaseName lockName,
      String planHash, int have, int need) implements AuditEvent {}

  /** An actor requested the end of an unfinished run. */
  record RunCancelRequested(RequestId requestId, Instant timestamp, String intent, @Nullable LeaseName lockName,
      Origin origin) implements AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** A request went on that a rule of the policy would have refused, because the policy is only observed. */
  record WouldRefuse(RequestId requestId, Instant timestamp, @Nullable LeaseName lockName, String rule, String kind,
      Origin origin) implements AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** A request for a run was refused by a halt or the policy; {@code error} is the code that the caller received. */
  record RunRefused(RequestId requestId, Instant timestamp, String intent, @Nullable LeaseName lockName, String error,
      Origin origin) implements AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /**
   * Somebody asked what became of a run whose end nobody saw.
   *
   * @param settled {@code applied}, {@code not_applied}, or {@code unknown}
   * @param fingerprint of the state that its probe saw; null if it saw none
   */
  record RunSettled(RequestId requestId, Instant timestamp, String intent, @Nullable LeaseName lockName,
      String settled, @Nullable String fingerprint, Origin origin) implements AuditEvent {}

  /**
   * A scheduled intent found that the desired state does not hold any more.
   *
   * @param differences what is not as desired, in words
   */
  record DriftFound(RequestId requestId, Instant timestamp, String intent, @Nullable LeaseName lockName,
      String differences, Origin origin) implements AuditEvent {}

  /**
   * The desired state of a scheduled intent holds again.
   *
   * @param since when it was found not to hold
   */
  record DriftRepaired(RequestId requestId, Instant timestamp, String intent, @Nullable LeaseName lockName,
      Instant since, Origin origin) implements AuditEvent {}

  /** A scheduled run was skipped; {@code reason} is the error code that a caller would have received. */
  record RunSkipped(RequestId requestId, Instant timestamp, String intent, @Nullable LeaseName lockName, String reason,
      Origin origin)
      implements
        AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }
  }

  /** A call over HTTP, and the address that it came from. */
  record Call(String remote, String method, String path) {}

  /**
   * A request of the Model Context Protocol.
   *
   * @param tool the tool that it calls; null for another method
   * @param arguments the arguments of the tool, or the other parameters of the request, as JSON; secrets are masked, and
   *     a long text is cut
   */
  record McpRequest(String method, @Nullable String tool, String arguments) {}

  /**
   * A request to the service was denied.
   *
   * @param call the call over HTTP; null for a request on stdin
   * @param request what was requested through the Model Context Protocol; null if it was something else, or not read
   * @param reason why, as a word
   * @param omitted the number of unrecorded refusals before this one
   * @param origin the caller, if it is known
   */
  record AccessDenied(Instant timestamp, @Nullable Call call, @Nullable McpRequest request, String reason, int omitted,
      @Nullable Origin origin) implements AuditEvent {
    @Override
    public boolean isDurable() {
      return false;
    }

    /** The same for several refusals. */
    public AccessDenied omitting(int others) {
      return new AccessDenied(timestamp, call, request, reason, others, origin);
    }
  }

  /** An event of an access token; neither the token nor its digest is logged. */
  sealed interface OfToken extends AuditEvent {
    String name();

    String role();

    @Override
    Origin origin();
  }

  /** A token was created. */
  record TokenCreated(Instant timestamp, String name, String role, Origin origin) implements OfToken {}

  /** A token was replaced by a new one. */
  record TokenRotated(Instant timestamp, String name, String role, Origin origin) implements OfToken {}

  /** A token was revoked. */
  record TokenRevoked(Instant timestamp, String name, String role, Origin origin) implements OfToken {}

  /** A claim on a task. */
  record TaskClaim(String taskId, String agent, long attempt) {}

  /** An event of a claim on a task. If a power failure loses it, the task's own history still contains it. */
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

  /** A claim expired and was withdrawn or taken over by the actor. */
  record TaskLost(RequestId requestId, Instant timestamp, TaskClaim claim, Origin origin) implements OfTask {}

  /** A task was closed by its holder; {@code outcome} is {@code done} or {@code blocked}. */
  record TaskClosed(RequestId requestId, Instant timestamp, TaskClaim claim, String outcome, Origin origin)
      implements
        OfTask {}

  /** An event of a mailbox. If a power failure loses it, the mailbox still shows its effect. */
  sealed interface OfMailbox extends AuditEvent {
    String mailbox();

    @Override
    default boolean isDurable() {
      return false;
    }
  }

  /**
   * A message became a dead letter; {@code cause} is {@code too_many_deliveries}, {@code unreadable} or {@code
   * rejected}.
   *
   * @param error the error that a worker reported; null if there is none
   */
  record MessageDead(Instant timestamp, String mailbox, String messageId, long deliveryCount, String cause,
      @Nullable String error, @Nullable Origin origin) implements OfMailbox {}

  /**
   * Dead letters were returned for delivery.
   *
   * @param messageIds the selected messages; empty for all
   */
  record MailboxRevived(Instant timestamp, String mailbox, long messages, List<String> messageIds, Origin origin)
      implements
        OfMailbox {
    public MailboxRevived {
      messageIds = List.copyOf(messageIds);
    }
  }

  /** Messages or dead letters were deleted. */
  record MailboxPurged(Instant timestamp, String mailbox, boolean isOfDead, long messages, Origin origin)
      implements
        OfMailbox {}

  /** Earlier events could not be written; {@code lost} is their number. */
  record AuditEventsLost(Instant timestamp, long lost) implements AuditEvent {}
}
