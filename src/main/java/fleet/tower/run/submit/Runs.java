package fleet.tower.run.submit;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest.Reentry;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.run.Run;
import fleet.tower.run.RunRequests;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.StepRecord;
import fleet.tower.run.Tracing;
import fleet.tower.run.execute.ActiveRun;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.InterruptedLocks;
import fleet.tower.run.execute.LockOutcome;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.PreparedRun;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.execute.RunServices;
import fleet.tower.run.request.RequestConsumer;

/**
 * The runs of one executor, as people and programs request them.
 *
 * <ol>
 * <li>The request is checked: its intent, its parameters, the name of its lock.
 * <li>If the same request came before, the answer is its run. If it names a plan, the run that would begin is compared with it.
 * <li>The locks are checked without taking any. A request that is refused, and has no patience, writes nothing: neither a
 * record nor a sync. A request with patience waits for its own lock, and then for other tools' locks.
 * <li>The run is recorded durably. From here on no crash can make the same request run twice.
 * <li>The locks are taken, after a wait if the request has patience. A request without patience that is refused now is forgotten,
 * and its id is free again; one that waited is recorded as refused. A repeated request whose run never started runs: it was
 * refused, or its executor died while it waited. A run that may wait leaves its wait durably before its first step.
 * <li>The run is executed on its own virtual thread.
 * </ol>
 *
 * {@code RunLocks} explains the order of the locks, {@link ActiveRun} the execution.
 */
public final class Runs {
  private static final int SAMPLES = 20;

  private final RunServices services;
  private final ExecutorIdentity executor;
  private final Preparation preparation;
  private final Catalogue catalogue;
  private final Supplier<RequestId> ids;
  private final Map<RequestId, ActiveRun> activeRuns = new ConcurrentHashMap<>();
  /** Requests share the read lock; {@link #close} takes the write lock, and so waits until each of them has its answer. */
  private final ReadWriteLock entrance = new ReentrantReadWriteLock();
  /** Limits requests that do not go through the queue; the queue is limited by its workers. */
  private final Semaphore room;
  private final InterruptedLocks interruptedLocks;
  private final RequestConsumer requests;
  private final DistantRuns distantRuns;
  private final int limit;
  private final EligibleHosts hosts;
  private volatile @Nullable QueuedRuns queue;
  private boolean closing;

  /** The runs of the executor of a single host. */
  public Runs(Catalogue catalogue, RunServices services, ExecutorIdentity executor, Supplier<RequestId> ids, int limit,
      Tracing tracing) {
    this(catalogue, services, executor, ids, limit, tracing, EligibleHosts.SINGLE);
  }

  /** @param limit the number of runs at the same time, waiting ones included */
  public Runs(Catalogue catalogue, RunServices services, ExecutorIdentity executor, Supplier<RequestId> ids, int limit,
      Tracing tracing, EligibleHosts hosts) {
    this.hosts = hosts;
    this.room = new Semaphore(limit);
    this.limit = limit;
    this.services = services;
    this.interruptedLocks = new InterruptedLocks(services.locks(), services.processes());
    this.executor = executor;
    this.requests = new RequestConsumer(executor.id(), services.store(), services.scheduler(), this::receive);
    this.distantRuns = new DistantRuns(services.store().changes(), services.scheduler());
    this.preparation = new Preparation(catalogue, ids, services.time(), tracing);
    this.catalogue = catalogue;
    this.ids = ids;
  }

  /** The runs that wait in a queue for any executor. From now on it gets the requests that this host may not execute. */
  public QueuedRuns queued(QueuedRuns.Backlog backlog) {
    QueuedRuns queued = new QueuedRuns(this, backlog, preparation, services, executor, ids, hosts);
    queue = queued;
    return queued;
  }

  /**
   * Requests a run. Returns when the run has begun, waits, or is rejected. A run that requires a label that this host does
   * not have goes to the queue.
   *
   * @throws IllegalStateException if such a run is requested of an executor without a queue
   */
  public SubmitOutcome submit(RunRequest request) {
    if (missingLabels(request.intent()).isEmpty()) {
      return unlessClosing(() -> admit(request), SubmitOutcome.Closing::new);
    }
    QueuedRuns elsewhere = queue;
    if (elsewhere == null) {
      throw new IllegalStateException("intent " + request.intent() + " cannot run on this host, and there is no queue");
    }
    return elsewhere.enqueue(request);
  }

  boolean hasHere(String intent, String digest) {
    return catalogue.find(intent).filter(it -> it.digest().equals(digest)).isPresent();
  }

  boolean hasHere(String digest) {
    return hosts.seenByQueue(catalogue).list().stream().anyMatch(it -> it.digest().equals(digest));
  }

  Set<String> executableHere() {
    return hosts.seenByQueue(catalogue).list().stream().filter(it -> hosts.missingHere(it.runsOn()).isEmpty())
        .map(Intent::digest).collect(Collectors.toSet());
  }

  /** The labels that an intent requires and that this host does not have, so that another one executes its runs. */
  public List<String> missingLabels(String intent) {
    return catalogue.find(intent).map(it -> hosts.missingHere(it.runsOn())).orElse(List.of());
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

  private SubmitOutcome admit(RunRequest request) {
    return switch (preparation.prepare(request)) {
      case Preparation.NotReady(SubmitOutcome.Rejected why) -> why;
      case Preparation.Ready(PreparedRun prepared) -> {
        try {
          yield submit(request, prepared);
        } catch (StorageException e) {
          yield new SubmitOutcome.Unavailable(e.publicMessage());
        }
      }
    };
  }

  /** Returns what a request would do; takes and writes nothing. */
  public PlanOutcome plan(RunRequest request) {
    return PlanOutcome.of(request, catalogue, services.locks(), services.foreign(), ids, services.time(), hosts);
  }

  private SubmitOutcome submit(RunRequest request, PreparedRun prepared) {
    RunStore.Claim claim = claim(request, prepared);
    RunStore.Prior prior = services.store().look(claim);
    SubmitOutcome known = known(prior);
    if (known != null) {
      return known;
    }
    if (request.plan() != null && !request.plan().equals(Plan.hash(prepared))) {
      return new SubmitOutcome.PlanChanged(Plan.hash(prepared));
    }
    ActiveRun run = activeRun(prepared, request,
        prior instanceof RunStore.Unstarted ? Reentry.RESUMED_RUN : Reentry.NEVER);
    LockOutcome.Refusal refusal = run.check();
    if (run.isBehindGone()) {
      recover();
      if (releaseInterrupted().released() > 0) {
        refusal = run.check();
      }
    }
    return refusal == null ? begin(claim, run) : rejected(refusal);
  }

  static RunStore.Claim claim(RunRequest request, PreparedRun prepared) {
    return new RunStore.Claim(prepared.header().requestId(), request.origin().actor().name(), request.idempotencyKey(),
        RequestDigest.of(request, prepared));
  }

  private ActiveRun activeRun(PreparedRun prepared, RunRequest request, Reentry reentry) {
    String reason = request.reason() == null ? null : prepared.secrets().mask(request.reason());
    RunRequest.Terms terms = request.terms();
    return new ActiveRun(prepared, new LockTerms(terms.force(), terms.patience(), reentry, reason), services, executor);
  }

  private static SubmitOutcome.Rejected rejected(LockOutcome.Refusal refusal) {
    return switch (refusal) {
      case LockOutcome.OwnRefused(var lock, var why) -> new SubmitOutcome.Refused(lock, why);
      case LockOutcome.ForeignRefused(var why) -> new SubmitOutcome.Foreign(why);
      case LockOutcome.Unavailable(var _, var problem) -> new SubmitOutcome.Unavailable(problem);
    };
  }

  /** The answer to a request that came before; null if it did not, or may be tried again. */
  @Nullable
  SubmitOutcome known(RunStore.Prior prior) {
    return switch (prior) {
      case RunStore.New _,RunStore.Unstarted _ -> null;
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
  private SubmitOutcome begin(RunStore.Claim claim, ActiveRun run) {
    if (!room.tryAcquire()) {
      return new SubmitOutcome.TooMany(limit);
    }
    try {
      return record(claim, run);
    } catch (StorageException unknown) {
      services.later(() -> interruptUnbegun(claim.requestId()));
      throw unknown;
    }
  }

  /** Ends a run that this executor has by its record alone; it can be requested again. */
  private void interruptUnbegun(RequestId id) {
    if (!isActive(id) && services.store().take(id, executor.id(), executor.id()).isPresent()) {
      interrupt(id, executor.id());
    }
  }

  private SubmitOutcome record(RunStore.Claim claim, ActiveRun run) {
    RequestId id = claim.requestId();
    boolean isActive = false;
    try {
      Run recorded = run.handle().run();
      SubmitOutcome known = known(services.store().begin(claim, recorded, executor.id()));
      if (known != null) {
        return known;
      }
      services.listener().begun(recorded);
      add(id, run);
      isActive = true;
    } finally {
      if (!isActive) {
        room.release();
      }
    }
    Runnable remove = () -> {
      if (remove(id, run)) {
        room.release();
      }
    };
    try {
      LockOutcome.Refusal refusal = run.start(remove);
      return refusal == null ? new SubmitOutcome.Accepted(run.handle(), false) : rejected(refusal);
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
    ActiveRun run = activeRun(prepared, request, reentry);
    RequestId id = prepared.header().requestId();
    add(id, run);
    run.startQueued(() -> remove(id, run));
    if (reentry == Reentry.RESUMED_RUN) {
      // The executor that died may have had requests.
      requests.look();
    }
    return run;
  }

  private void add(RequestId id, ActiveRun run) {
    activeRuns.put(id, run);
    requests.begun();
  }

  private boolean remove(RequestId id, ActiveRun run) {
    boolean isRemoved = activeRuns.remove(id, run);
    if (isRemoved) {
      requests.ended();
    }
    return isRemoved;
  }

  /** Meets the request of another process. A request to cancel stays until the run has ended, in case it changes its executor. */
  private void receive(RunRequests.Pending request) {
    ActiveRun run = activeRuns.get(request.run());
    if (run == null) {
      return;
    }
    switch (request.kind()) {
      case CANCEL -> run.cancel();
      case BEAT -> {
        run.beat();
        services.store().requests().remove(request);
      }
    }
  }

  boolean isActive(RequestId id) {
    return activeRuns.containsKey(id);
  }

  /** Finds a run, wherever it is executed. */
  public Optional<RunHandle> find(RequestId requestId) {
    ActiveRun run = activeRuns.get(requestId);
    if (run != null) {
      return Optional.of(run.handle());
    }
    return services.store().find(requestId).map(this::settled).map(this::handle);
  }

  /**
   * Passes the newest runs to a reader until it returns false.
   *
   * @throws InvalidValue if there is none, and the intent of the query is not declared but one with a similar name is
   */
  public void read(RunStore.Query query, Predicate<Run> reader) {
    if (!recover().isEmpty()) {
      releaseInterrupted();
    }
    AtomicBoolean isEmpty = new AtomicBoolean(true);
    services.store().read(query, stored -> {
      isEmpty.setPlain(false);
      ActiveRun run = activeRuns.get(stored.requestId());
      return reader.test(run == null ? stored : run.handle().run());
    });
    if (isEmpty.getPlain() && query.intent() != null) {
      rejectMistyped(query.intent());
    }
  }

  /** The runs that have not finished, in the order of their requests; those of dead executors are interrupted first. */
  public List<UnfinishedRun> unfinished() {
    if (!recover().isEmpty()) {
      releaseInterrupted();
    }
    return services.store().unfinished().stream().map(RunStore.Unfinished::requestId)
        .flatMap(id -> unfinishedNow(id).stream()).toList();
  }

  private Optional<UnfinishedRun> unfinishedNow(RequestId id) {
    ActiveRun active = activeRuns.get(id);
    return (active == null
        ? services.store().find(id).map(run -> new UnfinishedRun(run, null))
        : Optional.of(new UnfinishedRun(active.handle().run(), active.handle())))
        .filter(it -> !it.run().status().isFinished());
  }

  /** What a run waits for; empty if it does not wait, or is about to begin. */
  public Optional<RunWait> waitOf(Run run, RunHandle handle) {
    return RunWait.of(run, handle, services, hosts);
  }

  /** The median duration of an intent's newest successful runs; empty if there are none. */
  public Optional<Duration> usualDuration(String intent) {
    List<Duration> past = new ArrayList<>();
    services.store().read(new RunStore.Query(intent, RunStatus.SUCCEEDED, SAMPLES), run -> past.add(duration(run)));
    return past.stream().sorted().skip(past.size() / 2).findFirst();
  }

  /** From the first step to the end, because the wait for a lock is no part of the work. */
  private static Duration duration(Run run) {
    Instant requested = run.header().createdAt();
    Instant start = run.begun().isEmpty() || run.begun().getFirst().startedAt() == null
        ? requested
        : run.begun().getFirst().startedAt();
    return Duration.between(start, run.finishedAt() == null ? requested : run.finishedAt());
  }

  private void rejectMistyped(String intent) {
    List<String> closest = catalogue.find(intent).isPresent() ? List.of() : catalogue.closest(intent);
    if (!closest.isEmpty()) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "there is no intent " + InvalidValue.shown(intent)
          + "; did you mean " + String.join(" or ", closest) + "?");
    }
  }

  private Optional<ActiveRun> unfinishedHere(RequestId requestId) {
    return Optional.ofNullable(activeRuns.get(requestId)).filter(run -> !run.handle().run().status().isFinished());
  }

  /** Cancels a run for an actor, which the audit log names. */
  public CancelOutcome cancel(RequestId requestId, Actor by) {
    return cancel(requestId, by, run -> services.audit().append(new AuditEvent.RunCancelRequested(requestId,
        services.time().now(), run.intent(), run.header().lockName(), Origin.of(by))));
  }

  /** Cancels a run for its own actor: its step is ended, its steps are rolled back, and its lock is released. */
  public CancelOutcome cancel(RequestId requestId) {
    Optional<Run> known = unfinishedHere(requestId).map(active -> active.handle().run())
        .or(() -> services.store().find(requestId));
    return known.map(run -> cancel(requestId, run.actor(), _ -> {})).orElseGet(CancelOutcome.NotFound::new);
  }

  /** Tries again if the run ends, or changes its executor, between two looks. */
  private CancelOutcome cancel(RequestId requestId, Actor by, Consumer<Run> onRequest) {
    for (;;) {
      Optional<ActiveRun> active = unfinishedHere(requestId);
      if (active.isPresent()) {
        onRequest.accept(active.get().handle().run());
        active.get().cancel();
        return new CancelOutcome.Requested();
      }
      Optional<Run> found = services.store().find(requestId).map(this::settled);
      if (found.isEmpty()) {
        return new CancelOutcome.NotFound();
      }
      Run run = found.get();
      if (run.status().isFinished()) {
        return new CancelOutcome.Finished(run);
      }
      if (unfinished(requestId).filter(it -> cancel(run, it.executor(), by)).isPresent()) {
        onRequest.accept(run);
        return new CancelOutcome.Requested();
      }
    }
  }

  /** Cancels a run of another executor, or of the queue; false if that does not have the run, or is dead. */
  private boolean cancel(Run run, String owner, Actor by) {
    RequestId id = run.requestId();
    if (owner.equals(RunStore.QUEUE)) {
      Optional<Run> taken = services.store().take(id, owner, executor.id());
      taken.ifPresent(it -> services.save(it.finished(RunStatus.CANCELLED, services.time().now()), true));
      return taken.isPresent();
    }
    if (executor.isAlive().test(owner)) {
      return services.store().requests().put(id, owner, RunRequests.Kind.CANCEL, by);
    }
    interrupt(id, owner);
    return false;
  }

  /** Ends the wait of a run for its locks; a run of this executor that has them, and any other run, goes on. */
  public void cancelWait(RequestId requestId) {
    unfinishedHere(requestId).ifPresent(ActiveRun::cancelWait);
  }

  /** Records progress of a run, wherever it is executed. */
  public BeatOutcome beat(RequestId requestId, Actor by) {
    Optional<ActiveRun> active = unfinishedHere(requestId);
    if (active.isPresent()) {
      return active.get().beat() ? new BeatOutcome.Recorded() : new BeatOutcome.NotNeeded();
    }
    return services.store().find(requestId).map(this::settled).map(run -> beat(run, by))
        .orElseGet(BeatOutcome.NotFound::new);
  }

  private BeatOutcome beat(Run run, Actor by) {
    if (run.status().isFinished()) {
      return new BeatOutcome.Finished();
    }
    boolean isNeeded = run.status() == RunStatus.RUNNING && run.lock() != null
        && run.lock().heartbeat() == Controls.Heartbeat.PROGRESS;
    return isNeeded && unfinished(run.requestId()).filter(it -> services.store().requests().put(run.requestId(),
        it.executor(), RunRequests.Kind.BEAT, by)).isPresent()
            ? new BeatOutcome.Recorded()
            : new BeatOutcome.NotNeeded();
  }

  Optional<RunStore.Unfinished> unfinished(RequestId requestId) {
    return services.store().unfinished().stream().filter(run -> run.requestId().equals(requestId)).findFirst();
  }

  /** Marks the runs of dead executors as interrupted; nothing is resumed or rolled back. */
  public List<Run> recover() {
    return services.store().unfinished().stream().filter(this::isAbandoned)
        .map(run -> interrupt(run.requestId(), run.executor())).flatMap(Optional::stream).toList();
  }

  /** Releases the locks of interrupted runs whose intents allow it; those of others go stale. */
  public InterruptedLocks.Outcome releaseInterrupted() {
    return interruptedLocks.release();
  }

  /** Whether no executor has the run, and none will take it. */
  private boolean isAbandoned(RunStore.Unfinished unfinished) {
    return !unfinished.executor().equals(RunStore.QUEUE) && !executor.isAlive().test(unfinished.executor())
        && services.store().find(unfinished.requestId()).filter(run -> !run.isQueued() || !run.isUnstarted())
            .isPresent();
  }

  Optional<Run> interrupt(RequestId requestId, String deadExecutor) {
    Instant now = services.time().now();
    Optional<Run> interrupted = services.store().interrupt(requestId, deadExecutor, now, lastTrace(requestId, now));
    interrupted.ifPresent(run -> {
      services.listener().ended(run);
      services.audit().append(new AuditEvent.RunFinished(requestId, services.time().now(), run.intent(),
          RunStatus.INTERRUPTED.toString(), String.valueOf(RunStatus.INTERRUPTED.result()),
          run.progress().failureStep(), "skipped: executor died", new Origin(run.actor(), run.intent(), null, null)));
    });
    return interrupted;
  }

  /** When the executor of a run died, as far as the output of the running step shows; else the present moment. */
  private Instant lastTrace(RequestId requestId, Instant now) {
    return services.store().find(requestId).stream().flatMap(run -> run.begun().stream())
        .filter(step -> step.status() == StepRecord.Status.RUNNING)
        .flatMap(step -> services.processes().lastTrace(requestId, step.logName()).stream())
        .filter(trace -> trace.isBefore(now)).findFirst().orElse(now);
  }

  /** The number of runs that this executor has. */
  public int active() {
    return activeRuns.size();
  }

  /**
   * Rejects new requests, ends the waits of runs, cancels running ones after a grace period, and returns when all have ended.
   */
  public void close(Duration grace) {
    entrance.writeLock().lock();
    try {
      // Every request that was admitted before this has its run among the active ones, which end below.
      closing = true;
    } finally {
      entrance.writeLock().unlock();
    }
    activeRuns.values().forEach(ActiveRun::cancelWait);
    services.scheduler().after(grace, () -> activeRuns.values().forEach(ActiveRun::cancel));
    List.copyOf(activeRuns.values()).forEach(ActiveRun::awaitEnd);
  }

  RunHandle handle(Run run) {
    ActiveRun active = activeRuns.get(run.requestId());
    if (active != null) {
      return active.handle();
    }
    return new DistantRun(run,
        new LastKnownRun(run, () -> services.store().find(run.requestId()).map(this::settled).orElse(run)), services,
        distantRuns);
  }

  /** The run, marked as interrupted if its executor has died. */
  private Run settled(Run run) {
    if (run.status().isFinished()) {
      return run;
    }
    return unfinished(run.requestId()).filter(this::isAbandoned)
        .flatMap(unfinished -> interrupt(run.requestId(), unfinished.executor())).orElse(run);
  }
}
