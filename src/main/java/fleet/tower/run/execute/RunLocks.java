package fleet.tower.run.execute;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLocks;
import fleet.tower.foreign.ForeignWait;
import fleet.tower.foreign.HeldLocks;
import fleet.tower.intent.Controls;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Door;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.lock.AcquireRequest.Reentry;
import fleet.tower.lock.Locks;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;

/**
 * The locks of one run: its own, and those of other tools. They are checked cheaply before the run is recorded, and
 * taken after.
 *
 * <ol>
 * <li>{@link #check} reads its own lock if the request has no patience; if the lock cannot be taken now, the request is
 * refused.
 * <li>{@link #check} then reads other tools' locks, unless the request will wait for its own lock: the current holder
 * may own those as well, so they are checked only after the wait.
 * <li>{@link #take} takes its own lock, after a wait if the request has patience.
 * <li>{@link #take} then checks that the run still belongs to this executor, and takes other tools' locks. It waits for
 * them with its remaining patience, and keeps its own lock meanwhile, so that no other run overtakes it. If that fails,
 * it releases its own lock.
 * </ol>
 */
final class RunLocks {
  private final RunContext context;
  private final PreparedRun prepared;
  private final RunServices services;
  private final Duration patience;
  private final @Nullable AcquireRequest request;
  private boolean holderIsGone;

  /**
   * @param reentry whether an executor that died may have taken the lock for the same run
   * @param reason why the run was requested, for the audit log; null if no reason was given
   */
  RunLocks(RunContext context, LockTerms terms, Reentry reentry, @Nullable String reason) {
    this.context = context;
    this.prepared = context.prepared();
    this.services = context.services();
    this.patience = terms.patience();
    this.request = prepared.lock() == null ? null : request(prepared.lock(), terms.force(), reentry).because(reason);
  }

  private AcquireRequest request(LeaseName name, boolean isForced, Reentry reentry) {
    Holder holder = new Holder(context.actor().name(), prepared.intent().name(), prepared.intent().version(),
        context.executor().hostId(), context.executor().pid(), false);
    boolean force = isForced || prepared.intent().controls().onStale() == Controls.OnStale.TAKE;
    return new AcquireRequest(name, context.id(), holder, prepared.intent().timeouts().lockTtl(), force, metadata(),
        reentry, context.actor(), null);
  }

  private Metadata metadata() {
    Controls controls = prepared.intent().controls();
    Metadata metadata = metadata(prepared.header().origin());
    if (controls.heartbeat() == Controls.Heartbeat.PROGRESS) {
      metadata = metadata.provingProgress();
    }
    if (controls.onInterrupted() == Controls.OnInterrupted.RELEASE) {
      metadata = metadata.releasedOnInterruption();
    }
    return (context.executor().process() == null ? metadata : metadata.renewedBy(context.executor().process())).ofRun();
  }

  private static Metadata metadata(Run.Origin origin) {
    try {
      return Metadata.of(JsonReader.readObject(origin.metadata()), origin.actor().onBehalfOf());
    } catch (JsonException e) {
      throw new IllegalStateException("the metadata of a run must be a JSON object: " + e.getMessage(), e);
    }
  }

  /** Returns why the request would be refused now; null if it may proceed. Writes and takes nothing. */
  RunLocksOutcome.@Nullable Refusal check() {
    Optional<Decision.Refusal> own = request == null ? Optional.empty() : refusal(request);
    holderIsGone = own.filter(Decision.Refusal::holderIsGone).isPresent();
    if (mayWait()) {
      return null;
    }
    if (request != null && own.isPresent()) {
      return new RunLocksOutcome.OwnRefused(request.name(), own.get());
    }
    return services.foreign().refusal(prepared.foreign(), context.id(), context.origin())
        .map(RunLocksOutcome.ForeignRefused::new).orElse(null);
  }

  /**
   * Why the own lock is refused now. A request that will wait is audited when it waits, and a schedule itself records
   * what prevents a run.
   */
  private Optional<Decision.Refusal> refusal(AcquireRequest own) {
    if (!patience.isZero() || own.actor().door() == Door.SCHEDULE) {
      return services.locks().view(own.name()).decide(own) instanceof Decision.Refusal refusal
          ? Optional.of(refusal)
          : Optional.empty();
    }
    // A lock held under the run's own id may belong to the same request, sent before; the record of the run decides
    // that.
    return services.locks().refusal(own.with(Reentry.RESUMED_RUN));
  }

  /** Whether {@link #check} found its own lock held by a process that is gone. */
  boolean holderIsGone() {
    return holderIsGone;
  }

  /** Whether {@link #take} may wait. */
  boolean mayWait() {
    return mayWait(prepared, patience);
  }

  static boolean mayWait(PreparedRun prepared, Duration patience) {
    return !patience.isZero() && (prepared.lock() != null || !prepared.foreign().isEmpty());
  }

  /**
   * Takes all locks, or none.
   *
   * @param isPassedOn whether another executor has taken over the run; it gets the lease that the run holds by then
   */
  RunLocksOutcome take(Cancellation cancellation, Predicate<@Nullable HeldLease> isPassedOn) {
    long begun = services.time().nanos();
    ForeignWait wait = new ForeignWait(patience, services.time(), services.scheduler(),
        this::report, cancellation);
    if (request == null) {
      return takeForeign(null, null, isPassedOn, wait);
    }
    LeaseName name = request.name();
    WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome;
    try {
      outcome = patience.isZero()
          ? new WaitOutcome.Answered<>(services.locks().acquire(request))
          : services.locks().acquire(request, new Wait(patience, services.scheduler(), this::report, cancellation));
    } catch (StorageException e) {
      return new RunLocksOutcome.Unavailable(name, e.publicMessage());
    }
    return switch (outcome) {
      case WaitOutcome.Answered(AcquireOutcome answer) -> switch (answer) {
        case AcquireOutcome.Granted(var lease, var previous) ->
          takeForeign(lease, previous, isPassedOn, wait.after(begun));
        case AcquireOutcome.Kept(var lease) -> takeForeign(lease, null, isPassedOn, wait.after(begun));
        case AcquireOutcome.Refused(var refusal) -> new RunLocksOutcome.OwnRefused(name, refusal);
        case AcquireOutcome.Undone undone -> new RunLocksOutcome.Unavailable(name, undone.error());
      };
      case WaitOutcome.TimedOut(Decision.Obstacle obstacle) -> new RunLocksOutcome.NotWaited(
          new RunRefusal.TimedOut(RunRefusal.of(name, obstacle)));
      case WaitOutcome.TooManyWaiters(int limit) -> new RunLocksOutcome.NotWaited(
          new RunRefusal.TooManyWaiters(name, limit));
      case WaitOutcome.Cancelled() -> new RunLocksOutcome.Cancelled();
    };
  }

  private void report(Decision.Obstacle obstacle, Duration waited, int position) {
    if (request != null) {
      context.live().waits(new RunHandle.WaitingInLine(request.name(), obstacle, waited, position));
    }
  }

  /** Other processes read the wait in the record. If it cannot be written, the next report tries it again. */
  private void report(ForeignLock.Refusal refusal, Duration waited) {
    context.live().waits(new RunHandle.WaitingForTool(refusal, waited));
    Run.ForeignWait recorded = context.run().foreignWait();
    if (recorded != null && recorded.refusal().equals(refusal)) {
      return;
    }
    Run.ForeignWait wait = new Run.ForeignWait(refusal, services.time().now().minus(waited));
    try {
      if (services.store().saveWait(context.run().waitingFor(wait), context.executor().id())) {
        context.live().update(run -> run.waitingFor(wait));
      }
    } catch (StorageException later) {
      // The wait does not depend on it.
    }
  }

  private RunLocksOutcome takeForeign(@Nullable HeldLease lease, @Nullable PreviousLock previous,
      Predicate<@Nullable HeldLease> isPassedOn, ForeignWait wait) {
    if (isPassedOn.test(lease)) {
      return new RunLocksOutcome.PassedOn();
    }
    boolean isTaken = false;
    LockRenewal renewal = null;
    try {
      ForeignLocks.TakeOutcome outcome = takeForeignNow();
      if (outcome instanceof ForeignLocks.Refused && wait.limit().isPositive()) {
        LockRenewal renewing = lease == null ? null : new LockRenewal(context, lease);
        renewal = renewing;
        outcome = wait.until(outcome, this::takeForeignNow, () -> renewing != null && renewing.isLost());
      }
      return switch (outcome) {
        case ForeignLocks.Taken(HeldLocks held) -> {
          isTaken = true;
          yield new RunLocksOutcome.Taken(lease, previous, held, renewal);
        }
        case ForeignLocks.Refused(var refusal) -> notTaken(refusal, lease, renewal, wait.cancellation());
      };
    } finally {
      if (!isTaken) {
        giveBack(lease, renewal);
      }
    }
  }

  private ForeignLocks.TakeOutcome takeForeignNow() {
    return services.foreign().take(prepared.foreign(), claim());
  }

  private static RunLocksOutcome notTaken(ForeignLock.Refusal refusal, @Nullable HeldLease lease,
      @Nullable LockRenewal renewal, Cancellation cancellation) {
    if (cancellation.isCancelled()) {
      return new RunLocksOutcome.Cancelled();
    }
    return lease != null && renewal != null && renewal.isLost()
        ? new RunLocksOutcome.Unavailable(lease.lease().name(),
            "it was lost while the run waited for foreign lock " + refusal.name())
        : new RunLocksOutcome.ForeignRefused(refusal);
  }

  /** Releases its own lock, which may be under renewal, before its first step. */
  void giveBack(@Nullable HeldLease lease, @Nullable LockRenewal renewal) {
    if (renewal != null) {
      renewal.stop();
    }
    if (lease != null && (renewal == null || !renewal.isLost())) {
      release(lease, RunStatus.CANCELLED);
    }
  }

  private ForeignLock.Claim claim() {
    return new ForeignLock.Claim(context.id(), "tower/" + prepared.intent().name(), prepared.intent().version(),
        context.executor().pid(), context.id().value(), context.origin());
  }

  /** Releases its own lock; a failure becomes a warning of the run. */
  void release(HeldLease held, RunStatus status) {
    Lease lease = held.lease();
    Locks.Result result = status.result() == null ? Locks.Result.FAILURE : status.result();
    try {
      ReleaseOutcome outcome = services.locks().release(context.actor(), lease.name(), lease.owner(), lease.token(),
          result, context.run().progress().failureStep());
      switch (outcome) {
        case ReleaseOutcome.Released _ -> {
        }
        case ReleaseOutcome.Absent _ -> warnOfLoss("the lock was removed before the run released it");
        case ReleaseOutcome.NotOwner(Lease holder) -> warnOfLoss(
            "the lock was lost before the run released it: held by " + holder.requestId());
        case ReleaseOutcome.Refused _ -> context.warn("the lock could not be released: it can no longer be read");
        case ReleaseOutcome.Failed(Lease _, Instant _, String error) -> warnOfRelease(lease.name(), error);
      }
    } catch (StorageException e) {
      String error = e.publicMessage();
      services.audit().append(new AuditEvent.LockReleaseFailed(lease.requestId(), services.time().now(), lease.name(),
          services.locks().pathOf(lease.name()), error, context.origin()));
      warnOfRelease(lease.name(), error);
    }
  }

  private void warnOfLoss(String warning) {
    context.live().update(Run::withLockLost);
    context.warn(warning);
  }

  private void warnOfRelease(LeaseName name, String error) {
    context.warn("the lock could not be released: " + error + "; force the release of " + name + " when "
        + services.locks().pathOf(name) + " can be written, or let it go stale");
  }
}
