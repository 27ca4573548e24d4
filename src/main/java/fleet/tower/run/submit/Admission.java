package fleet.tower.run.submit;

import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Places;
import fleet.tower.lease.Decision;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest.Reentry;
import fleet.tower.lock.RefusalKind;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.SyncGroup;
import fleet.tower.policy.Policy;
import fleet.tower.run.Observation;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.ActiveRun;
import fleet.tower.run.execute.ActiveRun.LastCheck;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.PreparedRun;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.execute.RunLocksOutcome;
import fleet.tower.run.execute.RunServices;

/**
 * The path of a request to its run on this executor.
 *
 * <ol>
 * <li>The request is checked: its intent, its parameters, the name of its lock.
 * <li>If the same request came before, the answer is its run. If it names a plan, the run that would begin is compared
 * with it, here and once more under its locks.
 * <li>The halts are read: what one covers does not begin.
 * <li>A run that restores a desired state looks whether it has anything to do; if not, it ends here.
 * <li>The run that holds a stale lock is settled, if the intent says so.
 * <li>The locks are checked without taking any. A request that is refused, and has no patience, writes nothing: neither
 * a record nor a sync. A request with patience waits for its own lock, and then for other tools' locks.
 * <li>The run is recorded durably. From here on no crash can make the same request run twice.
 * <li>The locks are taken, after a wait if the request has patience. A request without patience that is refused now is
 * forgotten, and its id is free again; one that waited is recorded as refused. A repeated request whose run never
 * started runs, unless a person rejected it: it was refused, or its executor died while it waited. A run that may wait leaves its wait durably
 * before its first step.
 * <li>The run is executed on a thread of its own.
 * </ol>
 *
 * {@code RunLocks} explains the order of the locks, {@link ActiveRun} the execution.
 */
final class Admission {
  private final Preparation preparation;
  private final RunServices services;
  private final ExecutorIdentity executor;
  private final ActiveRuns active;
  private final AbandonedRuns abandoned;
  private final Function<Run, RunHandle> handles;
  /** Limits requests that do not go through the queue; the queue is limited by its workers. */
  private final Places places;
  /**
   * Requests share the read lock; {@link #close} takes the write lock, and so waits until each of them has its answer.
   */
  private final ReadWriteLock entrance = new ReentrantReadWriteLock();
  private final RunApprovals approvals;
  private final Settlements settlements;
  private final Drifts drifts;
  private boolean closing;

  /** @param handles supplies a handle of a run that was requested before */
  Admission(Preparation preparation, RunServices services, ExecutorIdentity executor, ActiveRuns active,
      AbandonedRuns abandoned, Function<Run, RunHandle> handles, Places places, RunApprovals approvals,
      Settlements settlements, Drifts drifts) {
    this.drifts = drifts;
    this.settlements = settlements;
    this.approvals = approvals;
    this.preparation = preparation;
    this.services = services;
    this.executor = executor;
    this.active = active;
    this.abandoned = abandoned;
    this.handles = handles;
    this.places = places;
  }

  /** Begins the run of a request, unless this executor is closing. */
  SubmitOutcome submit(RunRequest request, Places.Holder holder) {
    return unlessClosing(() -> admit(request, holder), SubmitOutcome.Closing::new);
  }

  /** Begins something, unless this executor is closing. */
  <T> T unlessClosing(Supplier<T> beginning, Supplier<T> otherwise) {
    entrance.readLock().lock();
    try {
      return closing ? otherwise.get() : beginning.get();
    } finally {
      entrance.readLock().unlock();
    }
  }

  /** A handle of a run, wherever it is executed. */
  RunHandle handle(Run run) {
    return handles.apply(run);
  }

  boolean isActive(RequestId id) {
    return active.find(id).isPresent();
  }

  /** Rejects new requests. Every request that was admitted before has its run among the active ones. */
  void close() {
    entrance.writeLock().lock();
    try {
      closing = true;
    } finally {
      entrance.writeLock().unlock();
    }
  }

  private SubmitOutcome admit(RunRequest request, Places.Holder holder) {
    return switch (preparation.prepare(request)) {
      case Preparation.NotReady(SubmitOutcome.Refusal why) -> why;
      case Preparation.Ready(PreparedRun prepared) -> {
        try {
          yield submit(request, prepared, holder);
        } catch (StorageException e) {
          yield new SubmitOutcome.Unavailable(e.code(), e.publicMessage());
        }
      }
    };
  }

  private SubmitOutcome submit(RunRequest request, PreparedRun prepared, Places.Holder holder) {
    RunStore.RequestKey claim = claim(request, prepared);
    RunStore.Prior prior = request.isNew() ? new RunStore.New() : services.store().look(claim);
    SubmitOutcome known = known(prior);
    if (known != null) {
      return known;
    }
    SubmitOutcome.Refusal barred = barred(request, prepared);
    if (barred != null) {
      return barred;
    }
    PlanHash named = request.plan();
    PlanDocument planned = named == null ? null : preparation.document(request, prepared);
    if (named != null && planned != null && !named.isOf(planned)) {
      return preparation.notPlanned(named, planned);
    }
    SubmitOutcome unchanged = unchanged(claim, prepared);
    if (unchanged != null) {
      return unchanged;
    }
    SubmitOutcome unapproved = approvals.request(claim, request, prepared);
    if (unapproved != null) {
      return unapproved;
    }
    ActiveRun run = activeRun(planned == null ? prepared : prepared.planned(planned.text()), request,
        prior instanceof RunStore.Unstarted ? Reentry.RESUMED_RUN : Reentry.NEVER);
    settlements.settleHolder(prepared, request.origin().actor());
    RunLocksOutcome.Refusal refusal = run.check();
    if (run.holderIsGone()) {
      abandoned.recover();
      if (abandoned.releaseInterrupted().released() > 0) {
        refusal = run.check();
      }
    }
    return refusal == null ? begin(claim, run, holder) : refused(refusal);
  }

  /**
   * A run that restores a desired state has nothing to do if its probe sees that state. It takes no lock, and its record
   * is not synced: if a power failure takes that, the same request looks again.
   */
  private @Nullable SubmitOutcome unchanged(RunStore.RequestKey claim, PreparedRun prepared) {
    String desired = prepared.intent().restoresDesired() ? prepared.desired() : null;
    Observation seen = desired == null ? null : preparation.look(prepared);
    if (desired == null || seen == null) {
      return null;
    }
    drifts.looked(prepared.header(), seen, desired);
    if (!seen.holds(desired)) {
      return null;
    }
    Run run = prepared.newRun(false).onHost(executor.hostId())
        .withProgress(it -> it.withEach(StepRecord::skipped)).withProbed(it -> it.seenBefore(seen).asUnchanged())
        .finished(RunStatus.SUCCEEDED, services.time().now());
    SubmitOutcome known = known(services.begin(claim, run, executor.id(), executor));
    if (known == null) {
      services.listener().begun(run);
      services.listener().ended(run);
    }
    return known == null ? new SubmitOutcome.Accepted(handle(run), false) : known;
  }

  /** Why halts or the policy are against a new run; null if they are not. */
  SubmitOutcome.@Nullable Refusal barred(RunRequest request, PreparedRun prepared) {
    Run.Header header = prepared.header();
    Decision.Barred barred = services.barred(header);
    return barred != null
        ? barred(header, barred)
        : services.rules().objection(header.requestId(), header.doing(), parameters(request, prepared),
            executor.origin(header)).map(objection -> refused(header, objection)).orElse(null);
  }

  private static Policy.Parameters parameters(RunRequest request, PreparedRun prepared) {
    return new Policy.Parameters(prepared.intent().params(), prepared.values().texts(), request.role());
  }

  private SubmitOutcome.Refusal refused(Run.Header header, Policy.Objection objection) {
    return switch (objection) {
      case Policy.Closed(var why) -> barred(header, why);
      case Policy.NotAllowed notAllowed -> {
        services.refused(header, ErrorCode.PARAMS_NOT_ALLOWED, executor);
        yield new SubmitOutcome.NotAllowed(notAllowed);
      }
    };
  }

  private SubmitOutcome.Refusal barred(Run.Header header, Decision.Barred why) {
    services.refused(header, RefusalKind.of(why).code(), executor);
    return new SubmitOutcome.Barred(why);
  }

  static RunStore.RequestKey claim(RunRequest request, PreparedRun prepared) {
    return new RunStore.RequestKey(prepared.header().requestId(), request.origin().actor().name(),
        request.idempotencyKey(),
        RequestDigest.of(request, prepared));
  }

  private ActiveRun activeRun(PreparedRun prepared, RunRequest request, Reentry reentry) {
    PlanDocument planned = PlanDocument.requiredOf(prepared.header());
    String reason = request.reason() == null ? null : prepared.secrets().mask(request.reason());
    LastCheck plan = planned == null
        ? LastCheck.NONE
        : approvals.check(prepared, planned, preparation.check(request, planned));
    LastCheck values = seen -> services.rules().notAllowed(prepared.header().doing(), parameters(request, prepared))
        .<RunRefusal>map(it -> new RunRefusal.NotAllowed(it.rule(), it.problems())).orElseGet(() -> plan.refusal(seen));
    return new ActiveRun(prepared, request.terms(), reentry, reason, values, services, executor);
  }

  private static SubmitOutcome.Refusal refused(RunLocksOutcome.Refusal refusal) {
    return switch (refusal) {
      case RunLocksOutcome.OwnRefused(var _, Decision.Barred barred) -> new SubmitOutcome.Barred(barred);
      case RunLocksOutcome.OwnRefused(var lock, var why) -> new SubmitOutcome.OwnRefused(lock, why);
      case RunLocksOutcome.ForeignRefused(var why) -> new SubmitOutcome.ForeignRefused(why);
      case RunLocksOutcome.Unavailable(var _, var problem) ->
        new SubmitOutcome.Unavailable(ErrorCode.STORAGE_UNAVAILABLE, problem);
    };
  }

  /** The answer to a repeated request; null if the request is new or may be tried again. */
  @Nullable
  SubmitOutcome known(RunStore.Prior prior) {
    return switch (prior) {
      case RunStore.New _,RunStore.Unstarted _ -> null;
      case RunStore.OverQuota(var why) -> new SubmitOutcome.OverQuota(why);
      case RunStore.Different(RequestId id) -> new SubmitOutcome.Mismatch(id);
      case RunStore.Same(Run run) -> {
        services.listener().replayed(run);
        yield new SubmitOutcome.Accepted(handle(run), true);
      }
    };
  }

  /**
   * Records and starts a run. If the store does not answer, there may be a record that no executor would ever end; it
   * is marked as interrupted later.
   */
  private SubmitOutcome begin(RunStore.RequestKey claim, ActiveRun run, Places.Holder holder) {
    services.processes().requireSpace();
    return switch (places.take(holder)) {
      case Places.NoPlace none -> new SubmitOutcome.TooMany(none);
      case Places.Place place -> begin(claim, run, place);
    };
  }

  private SubmitOutcome begin(RunStore.RequestKey claim, ActiveRun run, Places.Place place) {
    try {
      return SyncGroup.together(() -> record(claim, run, place));
    } catch (StorageException unknown) {
      services.later(() -> interruptUnbegun(claim.requestId()));
      throw unknown;
    }
  }

  /** Ends a run that this executor has only in its record; it can be requested again. */
  private void interruptUnbegun(RequestId id) {
    if (!isActive(id) && services.store().take(id, executor.id(), executor.id()).isPresent()) {
      abandoned.interrupt(id, executor.id());
    }
  }

  private SubmitOutcome record(RunStore.RequestKey claim, ActiveRun run, Places.Place place) {
    RequestId id = claim.requestId();
    boolean isActive = false;
    try {
      Run recorded = run.handle().run();
      SubmitOutcome known = known(services.begin(claim, recorded, executor.id(), executor));
      if (known != null) {
        return known;
      }
      services.listener().begun(recorded);
      active.add(id, run);
      isActive = true;
    } finally {
      if (!isActive) {
        place.close();
      }
    }
    Runnable remove = () -> {
      if (active.remove(id, run)) {
        place.close();
      }
    };
    try {
      RunLocksOutcome.Refusal refusal = run.start(remove);
      return refusal == null ? new SubmitOutcome.Accepted(run.handle(), false) : refused(refusal);
    } catch (RuntimeException e) {
      remove.run();
      throw e;
    }
  }

  /**
   * Begins a run that this executor has taken from the queue.
   *
   * @param reentry whether an executor that died may have taken its lock
   */
  ActiveRun beginQueued(PreparedRun prepared, RunRequest request, Reentry reentry) {
    settlements.settleHolder(prepared, request.origin().actor());
    ActiveRun run = activeRun(prepared, request, reentry);
    RequestId id = prepared.header().requestId();
    active.add(id, run);
    run.startQueued(() -> {
      active.remove(id, run);
      if (run.handle().run().status().isFinished()) {
        approvals.forget(id);
      }
    });
    if (reentry == Reentry.RESUMED_RUN) {
      active.receive();
    }
    return run;
  }
}
