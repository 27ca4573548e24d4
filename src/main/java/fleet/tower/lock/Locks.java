package fleet.tower.lock;

import static java.util.Objects.requireNonNull;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.lock.queue.Waiter;
import fleet.tower.lock.queue.WaitingRequest;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.wait.OutageWait;

/** The locks of a home: the store decides, and the audit log records every change. */
public final class Locks implements LockClient {
  private final LockStore store;
  private final AuditLog audit;
  private final TimeSource time;
  private final WaitQueue line;
  private final Listener listener;
  private final Function<RequestId, Optional<String>> actorOfRun;
  private final boolean auditsRenewals;
  private final HolderProbe holders;

  /** Locks without a wait queue. */
  public Locks(LockStore store, AuditLog audit, TimeSource time) {
    this(store, audit, time, WaitQueue.NONE);
  }

  public Locks(LockStore store, AuditLog audit, TimeSource time, WaitQueue line) {
    this(store, audit, time, line, Listener.NONE);
  }

  public Locks(LockStore store, AuditLog audit, TimeSource time, WaitQueue line, Listener listener) {
    this(store, audit, time, line, listener, _ -> Optional.empty(), false);
  }

  /** Locks that know nothing about the processes of their holders. */
  public Locks(LockStore store, AuditLog audit, TimeSource time, WaitQueue line, Listener listener,
      Function<RequestId, Optional<String>> actorOfRun, boolean auditsRenewals) {
    this(store, audit, time, line, listener, actorOfRun, auditsRenewals, HolderProbe.NONE);
  }

  /**
   * @param actorOfRun the actor of the run recorded under a request id, if any; no client may take a lock with that id
   * @param auditsRenewals whether to audit every renewal, not only late ones
   * @param holders finds out whether holders are gone, for all views and refusals
   */
  public Locks(LockStore store, AuditLog audit, TimeSource time, WaitQueue line, Listener listener,
      Function<RequestId, Optional<String>> actorOfRun, boolean auditsRenewals, HolderProbe holders) {
    this.holders = requireNonNull(holders);
    this.actorOfRun = requireNonNull(actorOfRun);
    this.auditsRenewals = auditsRenewals;
    this.store = requireNonNull(store);
    this.audit = requireNonNull(audit);
    this.time = requireNonNull(time);
    this.line = requireNonNull(line);
    this.listener = requireNonNull(listener);
  }

  /** Receives the outcome of each acquisition, once per request; implementations return quickly and throw nothing. */
  public interface Listener {
    Listener NONE = new Listener() {};

    /** A listener that calls this one, then another. */
    default Listener and(Listener next) {
      Listener first = this;
      return new Listener() {
        @Override
        public void answered(WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome, @Nullable Duration waited) {
          first.answered(outcome, waited);
          next.answered(outcome, waited);
        }

        @Override
        public void unavailable() {
          first.unavailable();
          next.unavailable();
        }
      };
    }

    /**
     * A request was answered.
     *
     * @param waited how long the request waited; null if it did not allow waiting
     */
    default void answered(WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome, @Nullable Duration waited) {}

    /** The storage of the locks failed. */
    default void unavailable() {}
  }

  /** How the work under a lock ended. */
  public enum Result {
    SUCCESS, FAILURE, ABORTED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public AcquireOutcome acquire(AcquireRequest request) {
    requireNoRun(request, () -> isHeldBy(request));
    AcquireOutcome outcome = reached(() -> store.acquire(request));
    audit(request, outcome);
    listener.answered(new WaitOutcome.Answered<>(outcome), null);
    requireNoRunSince(request, outcome);
    return examined(outcome);
  }

  private AcquireOutcome examined(AcquireOutcome outcome) {
    return outcome instanceof AcquireOutcome.Refused(Decision.Refusal refusal)
        ? new AcquireOutcome.Refused(examined(refusal))
        : outcome;
  }

  private Decision.Refusal examined(Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Stale(Lease lease, Age age) -> new Decision.Stale(holders.examined(lease), age);
      case Decision.Obstacle obstacle -> examined(obstacle);
      case Decision.FrozenUnreadably _,Decision.Unreadable _,Decision.Newer _ -> refusal;
    };
  }

  private Decision.Obstacle examined(Decision.Obstacle obstacle) {
    return switch (obstacle) {
      case Decision.Blocked(Lease lease, Age age) -> new Decision.Blocked(holders.examined(lease), age);
      case Decision.Frozen _ -> obstacle;
    };
  }

  private WaitOutcome<AcquireOutcome, Decision.Obstacle> examined(
      WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome) {
    return switch (outcome) {
      case WaitOutcome.Answered(AcquireOutcome answer) -> new WaitOutcome.Answered<>(examined(answer));
      case WaitOutcome.TimedOut(Decision.Obstacle obstacle) -> new WaitOutcome.TimedOut<>(examined(obstacle));
      case WaitOutcome.TooManyWaiters(int _),WaitOutcome.Cancelled() -> outcome;
    };
  }

  /** @param isHeld whether the client holds the lock; then it may use an id that a run of another actor has too */
  private void requireNoRun(AcquireRequest request, BooleanSupplier isHeld) {
    Optional<String> actor = request.reentry() == AcquireRequest.Reentry.CLIENT
        ? actorOfRun.apply(request.requestId())
        : Optional.empty();
    if (actor.isPresent() && (actor.get().equals(request.holder().actor()) || !isHeld.getAsBoolean())) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST_ID_IN_USE, "request id '" + request.requestId()
          + "' belongs to a run, which holds its lock itself; use another id, or leave it out to get a new one");
    }
  }

  private boolean isHeldBy(AcquireRequest request) {
    return store.view(request.name()).leaseState() instanceof LeaseState.Held held
        && held.lease().isHeldBy(request.owner(), FencingToken.NONE);
  }

  /**
   * Checks again, because a run may have been recorded since the first check. Then a granted lock is released; a kept
   * lock is left alone, because it may be the run's.
   */
  private void requireNoRunSince(AcquireRequest request, AcquireOutcome outcome) {
    boolean isRefused = true;
    try {
      if (outcome instanceof AcquireOutcome.Granted || outcome instanceof AcquireOutcome.Kept) {
        requireNoRun(request, () -> outcome instanceof AcquireOutcome.Kept);
      }
      isRefused = false;
    } finally {
      if (isRefused && outcome instanceof AcquireOutcome.Granted(HeldLease held, var _)) {
        release(request.actor(), request.name(), request.owner(), held.lease().token(), Result.ABORTED, null);
      }
    }
  }

  /** The refusal that a request would get now, which is audited; empty if it would be granted. Changes no lock. */
  public Optional<Decision.Refusal> refusal(AcquireRequest request) {
    LockView view = reached(() -> store.view(request.name()));
    if (view.decide(request) instanceof Decision.Refusal refusal) {
      AcquireOutcome refused = new AcquireOutcome.Refused(refusal);
      audit(request, refused);
      listener.answered(new WaitOutcome.Answered<>(refused), null);
      return Optional.of(examined(refusal));
    }
    return Optional.empty();
  }

  /**
   * Acquires a lock, and waits in line while a live holder has it or it is frozen. A stale lock, an unreadable lock or
   * an unreadable freeze ends the wait, because waiting would not help. A wait that times out returns the current
   * obstacle. The audit log records once that the request was blocked, not at every check. While the store cannot be
   * reached, the wait continues.
   */
  @Override
  public WaitOutcome<AcquireOutcome, Decision.Obstacle> acquire(AcquireRequest request, Wait wait) {
    long begun = time.nanos();
    OutageWait outage = new OutageWait(wait.limit(), time, wait.scheduler(), wait.cancellation());
    outage.through(() -> {
      requireNoRun(request, () -> isHeldBy(request));
      return true;
    });
    WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome = reached(() -> inLine(request, wait, outage));
    listener.answered(outcome, wait.limit().isZero() ? null : Duration.ofNanos(time.nanos() - begun));
    if (outcome instanceof WaitOutcome.Answered<AcquireOutcome, ?>(AcquireOutcome answer)) {
      requireNoRunSince(request, answer);
    }
    return examined(outcome);
  }

  private <T> T reached(Supplier<T> asking) {
    try {
      return asking.get();
    } catch (StorageException e) {
      listener.unavailable();
      throw e;
    }
  }

  private WaitOutcome<AcquireOutcome, Decision.Obstacle> inLine(AcquireRequest request, Wait wait,
      OutageWait outage) {
    LockAttempt attempt = new LockAttempt(store, request,
        (obstacle, waited, position) -> wait.progress().waiting(examined(obstacle), waited, position), this::audit);
    try {
      Optional<AcquireOutcome> first = outage.through(() -> wait.limit().isZero() || !wouldOvertake(request.name())
          ? attempt.attempt()
          : Optional.empty());
      if (first.isPresent()) {
        return new WaitOutcome.Answered<>(first.get());
      }
      return wait.limit().isZero()
          ? attempt.atLimit()
          : new Waiter<>(line, time, wait, attempt, outage).await(request.name(), waiting(request));
    } catch (UncheckedIOException e) {
      throw brokenLine(e);
    }
  }

  @Override
  public int waiters(LeaseName name) {
    try {
      return line.length(name);
    } catch (UncheckedIOException e) {
      throw brokenLine(e);
    }
  }

  /** The names of all locks that have waiters; some of them may be dead. */
  public Set<LeaseName> awaited() {
    try {
      return line.names();
    } catch (UncheckedIOException e) {
      throw brokenLine(e);
    }
  }

  /** The requests that wait for a lock, in their order. */
  public List<WaitingRequest> queue(LeaseName name) {
    try {
      return line.list(name);
    } catch (UncheckedIOException e) {
      throw brokenLine(e);
    }
  }

  private WaitingRequest waiting(AcquireRequest request) {
    return new WaitingRequest(request.requestId(), request.holder().actor(), request.holder().intent(), time.now());
  }

  @Override
  public RenewOutcome renew(Actor actor, LeaseName name, Owner by, FencingToken token) {
    RenewOutcome outcome = store.renew(name, by, token);
    audit(actor, outcome);
    return outcome;
  }

  @Override
  public Renewal renewal(Actor actor, Lease lease) {
    return new Renewal() {
      @Override
      public Renewal.Result renew() {
        RenewOutcome outcome = store.beat(lease);
        audit(actor, outcome);
        return LockClient.result(outcome);
      }

      @Override
      public Optional<Lost> look() {
        return switch (store.view(lease.name()).leaseState()) {
          case LeaseState.Vacant() -> Optional.of(LockClient.gone());
          case LeaseState.Held(Lease by, Age _) when !by.isHeldBy(lease.owner(), lease.token()) ->
            Optional.of(LockClient.taken(by));
          case LeaseState.Held _,LeaseState.Corrupt _,LeaseState.Unsupported _ -> Optional.empty();
        };
      }
    };
  }

  /** Audits a late renewal always, one in time only if all renewals are audited. */
  private void audit(Actor actor, RenewOutcome outcome) {
    switch (outcome) {
      case RenewOutcome.Renewed(HeldLease held, long late) when late > 0 || auditsRenewals -> {
        Lease lease = held.lease();
        audit.append(new AuditEvent.LockRenewed(lease.requestId(), lease.lastHeartbeatAt(), lease.name(), lease.token(),
            late, Origin.of(actor, lease.holder())));
      }
      case RenewOutcome.Renewed _,RenewOutcome.Gone _,RenewOutcome.Taken _,RenewOutcome.Unreadable _ -> {
      }
    }
  }

  @Override
  public ReleaseOutcome release(Actor actor, LeaseName name, Owner by, FencingToken token, Result result,
      @Nullable String failureStep) {
    ReleaseOutcome outcome = store.release(name, by, token);
    switch (outcome) {
      case ReleaseOutcome.Released(Lease lease, Instant at) ->
        audit.append(new AuditEvent.LockReleased(by.requestId(), at, name,
            heldSeconds(lease, at), result.toString(), failureStep, Origin.of(actor, lease.holder())));
      case ReleaseOutcome.Failed(Lease lease, Instant at, String error) ->
        audit.append(new AuditEvent.LockReleaseFailed(
            by.requestId(), at, name, store.pathOf(name), error, Origin.of(actor, lease.holder())));
      case ReleaseOutcome.Absent _,ReleaseOutcome.NotOwner _,ReleaseOutcome.Unreadable _ -> {
      }
    }
    return outcome;
  }

  @Override
  public ForceReleaseOutcome forceRelease(Actor actor, LeaseName name, RequestId requestId, String reason) {
    ForceReleaseOutcome outcome = store.forceRelease(name);
    switch (outcome) {
      case ForceReleaseOutcome.Removed(PreviousLock previous, Instant at) -> audit
          .append(new AuditEvent.LockForceReleased(requestId, at, name, store.pathOf(name), reason, previous.lease(),
              previous.hash(), Origin.of(actor)));
      case ForceReleaseOutcome.Failed(Instant at, String error) -> audit
          .append(new AuditEvent.LockReleaseFailed(requestId, at, name, store.pathOf(name), error, Origin.of(actor)));
      case ForceReleaseOutcome.Absent _ -> {
      }
    }
    return outcome;
  }

  @Override
  public LockView view(LeaseName name) {
    return store.view(name).examinedBy(holders);
  }

  @Override
  public List<LockView> list() {
    return store.list().stream().map(view -> view.examinedBy(holders)).toList();
  }

  /** What is known about the process that holds a lease. */
  public HolderProbe.Life lifeOf(Lease lease) {
    return holders.examine(lease);
  }

  @Override
  public String pathOf(LeaseName name) {
    return store.pathOf(name);
  }

  /** Whether a request that may wait would overtake requests that wait already. */
  private boolean wouldOvertake(LeaseName name) {
    return store.view(name).state() == LeaseState.State.FREE && line.length(name) > 0;
  }

  private static StorageException brokenLine(UncheckedIOException e) {
    return new StorageException(String.valueOf(e.getMessage()), e);
  }

  private void audit(AcquireRequest request, AcquireOutcome outcome) {
    switch (outcome) {
      case AcquireOutcome.Granted(var held, var previous) -> auditGrant(request, held.lease(), previous);
      case AcquireOutcome.Kept _ -> {
      }
      case AcquireOutcome.Refused(var refusal) -> audit.append(new AuditEvent.LockBlocked(request.requestId(),
          time.now(), request.name(), RefusalNames.of(refusal), holderOf(refusal), origin(request)));
      case AcquireOutcome.Undone undone -> auditUndone(request, undone);
    }
  }

  private static Origin origin(AcquireRequest request) {
    return Origin.of(request.actor(), request.holder());
  }

  private void auditGrant(AcquireRequest request, Lease lease, @Nullable PreviousLock previous) {
    Origin origin = origin(request).because(request.reason());
    AuditEvent acquired = new AuditEvent.LockAcquired(lease.requestId(), lease.createdAt(), lease.name(),
        store.pathOf(lease.name()), lease.ttl(), origin);
    if (previous == null) {
      audit.append(acquired);
    } else {
      audit.append(new AuditEvent.LockStolen(lease.requestId(), lease.createdAt(), lease.name(),
          requireNonNull(previous.lease()), previous.hash(), origin), acquired);
    }
  }

  /**
   * Audits an undone grant. The lock was never held, so it is audited only if others can see the effect: a stale lock
   * was lost with it, or the file still exists.
   */
  private void auditUndone(AcquireRequest request, AcquireOutcome.Undone undone) {
    Lease lease = undone.lease();
    if (undone.previous() != null) {
      auditGrant(request, lease, undone.previous());
    }
    if (undone.leftBehind()) {
      audit.append(new AuditEvent.LockReleaseFailed(lease.requestId(), time.now(), lease.name(),
          store.pathOf(lease.name()), undone.error(), origin(request)));
    } else if (undone.previous() != null) {
      audit.append(new AuditEvent.LockReleased(lease.requestId(), time.now(), lease.name(), 0,
          Result.FAILURE.toString(), null, origin(request)));
    }
  }

  private static long heldSeconds(Lease lease, Instant at) {
    return Math.max(0, Duration.between(lease.createdAt(), at).toSeconds());
  }

  private static @Nullable Lease holderOf(Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked blocked -> blocked.lease();
      case Decision.Stale stale -> stale.lease();
      case Decision.Frozen _,Decision.FrozenUnreadably _,Decision.Unreadable _,Decision.Newer _ -> null;
    };
  }
}
