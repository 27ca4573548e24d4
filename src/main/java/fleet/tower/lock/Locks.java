package fleet.tower.lock;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditLog;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lease.keepalive.RenewalListener;
import fleet.tower.lock.LockClient.ForcedRelease;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.lock.queue.Waiter;
import fleet.tower.platform.OutageWait;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.TimeSource;

/** The locks of a home: the store decides, and the audit log records every change. */
public final class Locks implements LockClient {
  private final LockStore store;
  private final LockAudit audit;
  private final AuditedStore changes;
  private final TimeSource time;
  private final WaitQueue line;
  private final Listener listener;
  private final KnownRuns runs;
  private final HolderProbe holders;
  private final GrantRules rules;

  /**
   * @param runs the runs of the home, whose ids no client may use
   * @param auditsRenewals whether to audit every renewal, not only late ones
   * @param holders finds out whether holders are gone, for all views and refusals
   * @param rules what may begin when
   */
  public Locks(LockStore store, AuditLog audit, TimeSource time, WaitQueue line, Listener listener,
      KnownRuns runs, boolean auditsRenewals, HolderProbe holders, GrantRules rules) {
    this.holders = holders;
    this.runs = runs;
    this.store = store;
    this.audit = new LockAudit(audit, store::pathOf, time, auditsRenewals);
    this.rules = rules;
    this.changes = new AuditedStore(store, this.audit, rules);
    this.time = time;
    this.line = line;
    this.listener = listener;
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
    rules.observe(request, store::list);
    AcquireOutcome outcome = refusedByRun(request).orElseGet(() -> reached(() -> changes.acquire(request, _ -> true)));
    listener.answered(new WaitOutcome.Answered<>(outcome), null);
    return examined(outcome);
  }

  /** The refusal of a client that names a run, which may hold no lock yet; empty if the client holds the lock. */
  private Optional<AcquireOutcome> refusedByRun(AcquireRequest request) {
    Optional<AcquireOutcome> refused = request.reentry() == AcquireRequest.Reentry.CLIENT
        ? ofRun(request.requestId()).filter(_ -> !isHeldBy(request)).map(AcquireOutcome.Refused::new)
        : Optional.empty();
    refused.ifPresent(outcome -> audit.answered(request, outcome));
    return refused;
  }

  private Optional<Decision.Refusal> ofRun(RequestId requestId) {
    return runs.find(requestId).map(run -> new Decision.OfRun(requestId, run.actor(), !run.isAlive()));
  }

  private boolean isHeldBy(AcquireRequest request) {
    return store.view(request.name()).leaseState() instanceof LeaseState.Held held
        && held.lease().isHeldBy(request.owner(), FencingToken.NONE);
  }

  /** The refusal with what is known about the holder, or about the run that the request named. */
  private Decision.Refusal examined(Decision.Refusal refusal) {
    return refusal instanceof Decision.OfRun(RequestId run, String _, boolean _)
        ? ofRun(run).orElse(refusal)
        : holders.examined(refusal);
  }

  private AcquireOutcome examined(AcquireOutcome outcome) {
    return outcome instanceof AcquireOutcome.Refused(Decision.Refusal refusal)
        ? new AcquireOutcome.Refused(examined(refusal))
        : outcome;
  }

  /** The refusal that a request would get now, which is audited; empty if it would be granted. Changes no lock. */
  public Optional<Decision.Refusal> refusal(AcquireRequest request) {
    LockView view = reached(() -> store.view(request.name()));
    if (decide(view, request) instanceof Decision.Refusal refusal) {
      AcquireOutcome refused = new AcquireOutcome.Refused(refusal);
      audit.answered(request, refused);
      listener.answered(new WaitOutcome.Answered<>(refused), null);
      return Optional.of(examined(refusal));
    }
    return Optional.empty();
  }

  private Decision decide(LockView view, AcquireRequest request) {
    Decision decision = view.decide(request);
    return decision instanceof Decision.Create || decision instanceof Decision.Steal
        ? rules.refusal(request.subject())
            .or(() -> limitReached(request.subject(), request.holder().actor(), request.name()))
            .<Decision>map(why -> why)
            .orElse(decision)
        : decision;
  }

  /** The limit of the home's rules that an actor would exceed with a lock now; empty if it would exceed none. */
  public Optional<Decision.LimitReached> limitReached(Halt.Subject subject, String actor, LeaseName name) {
    return HoldLimit.reached(rules.limits(subject), actor, name, store::list);
  }

  /**
   * Acquires a lock, and waits in line while a live holder has it or it is frozen. A stale lock, an unreadable lock or
   * an unreadable freeze ends the wait, because waiting would not help. A wait that times out returns the current
   * obstacle. The audit log records once that the request was blocked, not at every check. While the store cannot be
   * reached, the wait continues.
   */
  @Override
  public WaitOutcome<AcquireOutcome, Decision.Obstacle> acquire(AcquireRequest request, Wait wait) {
    rules.observe(request, store::list);
    long begun = time.nanos();
    OutageWait outage = new OutageWait(wait.limit(), time, wait.scheduler(), wait.cancellation());
    WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome = outage
        .through(() -> refusedByRun(request)).<WaitOutcome<AcquireOutcome, Decision.Obstacle>>map(
            WaitOutcome.Answered::new)
        .orElseGet(() -> reached(() -> inLine(request, wait, outage)));
    listener.answered(outcome, wait.limit().isZero() ? null : Duration.ofNanos(time.nanos() - begun));
    return outcome instanceof WaitOutcome.Answered<AcquireOutcome, ?>(AcquireOutcome answer)
        ? new WaitOutcome.Answered<>(examined(answer))
        : holders.examined(outcome);
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
    LockAttempt attempt = new LockAttempt(changes, request,
        (obstacle, waited, position) -> wait.progress().waiting(holders.examined(obstacle), waited, position));
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
    audit.renewed(actor, outcome);
    return switch (outcome) {
      case RenewOutcome.Taken _,RenewOutcome.Gone _ ->
        waitingRun(by).<RenewOutcome>map(RenewOutcome.Refused::new).orElse(outcome);
      case RenewOutcome.Refused(Decision.Refusal refusal) -> new RenewOutcome.Refused(examined(refusal));
      case RenewOutcome.Renewed _ -> outcome;
    };
  }

  /** The refusal of a client that names a run that has no lock yet. */
  private Optional<Decision.Refusal> waitingRun(Owner by) {
    return by.kind() == Owner.Kind.CLIENT
        ? ofRun(by.requestId()).filter(refusal -> refusal instanceof Decision.OfRun ofRun && !ofRun.isOver())
        : Optional.empty();
  }

  @Override
  public Renewal renewal(Actor actor, Lease lease) {
    return new Renewal() {
      @Override
      public Renewal.Result renew() {
        RenewOutcome outcome = store.beat(lease);
        audit.renewed(actor, outcome);
        return LockClient.result(outcome);
      }

      @Override
      public Optional<Lost> look() {
        return switch (store.view(lease.name()).leaseState()) {
          case LeaseState.Vacant() -> Optional.of(LockClient.gone());
          case LeaseState.Held(Lease by, Age _) when !by.isHeldBy(lease.owner(), lease.token()) ->
            Optional.of(LockClient.taken(by));
          case LeaseState.Held _,LeaseState.Unusable _ -> Optional.empty();
        };
      }
    };
  }

  @Override
  public RenewalListener recording(Actor actor, Lease lease, RenewalListener listener) {
    return new AuditedRenewals(audit.log(), time, lease, store.pathOf(lease.name()), actor, listener);
  }

  @Override
  public Optional<HolderProcess> thisProcess() {
    return holders.identify(ProcessHandle.current().pid());
  }

  @Override
  public ReleaseOutcome release(Actor actor, LeaseName name, Owner by, FencingToken token, Result result,
      @Nullable String failureStep) {
    ReleaseOutcome outcome = changes.release(actor, name, by, token, result, failureStep);
    return switch (outcome) {
      case ReleaseOutcome.NotOwner _,ReleaseOutcome.Absent _ ->
        waitingRun(by).<ReleaseOutcome>map(ReleaseOutcome.Refused::new).orElse(outcome);
      case ReleaseOutcome.Refused(Decision.Refusal refusal) -> new ReleaseOutcome.Refused(examined(refusal));
      case ReleaseOutcome.Released _,ReleaseOutcome.Failed _ -> outcome;
    };
  }

  /** Removes a lock with any holder but a live run, unless the request abandons that. */
  public ForceReleaseOutcome forceRelease(Actor actor, LeaseName name, ForcedRelease request) {
    ForceReleaseOutcome outcome = changes.forceRelease(actor, name, request, this::isOfLiveRun);
    if (request.abandons() && outcome instanceof ForceReleaseOutcome.Removed(PreviousLock(Lease lease, String _), var _)
        && lease != null && lease.isOfRun()) {
      runs.abandon(lease.requestId(), actor);
    }
    return outcome;
  }

  private boolean isOfLiveRun(Lease lease) {
    return lease.isOfRun() && runs.find(lease.requestId()).filter(KnownRuns.KnownRun::isAlive).isPresent();
  }

  @Override
  public LockView view(LeaseName name) {
    return store.view(name).examinedBy(holders);
  }

  @Override
  public List<LockView> list() {
    return list("", Integer.MAX_VALUE);
  }

  /** The first locks whose names come after a text. */
  public List<LockView> list(String after, int limit) {
    return store.list(after, limit).stream().map(view -> view.examinedBy(holders)).toList();
  }

  /** Some of the names that were not used for so long and can be forgotten. */
  public List<LeaseName> unused(Duration least, int limit) {
    return store.unused(least, limit);
  }

  /** Forgets a name, apart from its tokens, unless it was used more recently; returns whether it did. */
  public boolean forget(LeaseName name, Duration least) {
    return store.forget(name, least);
  }

  /** What is known about the process that holds a lease. */
  public HolderProbe.Life lifeOf(Lease lease) {
    return holders.examine(lease);
  }

  /** The path of a lock, for people. */
  public String pathOf(LeaseName name) {
    return store.pathOf(name);
  }

  @Override
  public boolean callerIsOperator() {
    return true;
  }

  /** Whether a request that may wait would overtake requests that wait already. */
  private boolean wouldOvertake(LeaseName name) {
    return store.view(name).state() == LeaseState.State.FREE && line.length(name) > 0;
  }

  private static StorageException brokenLine(UncheckedIOException e) {
    return new StorageException(String.valueOf(e.getMessage()), e);
  }

  /** The runs of a home, as far as its locks must know them. Calls may throw {@code StorageException}. */
  public interface KnownRuns {
    /** No runs. */
    KnownRuns NONE = new KnownRuns() {
      @Override
      public Optional<KnownRun> find(RequestId requestId) {
        return Optional.empty();
      }

      @Override
      public void abandon(RequestId run, Actor by) {}
    };

    /** The run with a request id, if there is one. */
    Optional<KnownRun> find(RequestId requestId);

    /** Has a run that lost its lock to a forced release stop as soon as possible. */
    void abandon(RequestId run, Actor by);

    /**
     * A recorded run.
     *
     * @param actor who requested it
     * @param isAlive whether it has not finished, and an executor has it or will take it
     */
    record KnownRun(String actor, boolean isAlive) {}
  }
}
