package fleet.tower.run.submit;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Places;
import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.foreign.ForeignLocks;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Locks;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.platform.secret.HomeKey;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.policy.PolicyRules;
import fleet.tower.run.Observation;
import fleet.tower.run.Run;
import fleet.tower.run.RunRequests;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.Tracing;
import fleet.tower.run.execute.ActiveRun;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.InterruptedLocks;
import fleet.tower.run.execute.PreparedRun;
import fleet.tower.run.execute.Prober;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.execute.RunServices;

/** The runs of one executor, as people and programs request them, and those of other executors, as it knows them. */
public final class Runs {
  private static final int SAMPLES = 20;

  private final RunServices services;
  private final ExecutorIdentity executor;
  private final Preparation preparation;
  private final Catalogue catalogue;
  private final EligibleHosts hosts;
  private final ActiveRuns activeRuns;
  private final AbandonedRuns abandoned;
  private final DistantRuns distantRuns;
  private final Admission admission;
  private final Places places;
  private final RunApprovals approvals;
  private final Settlements settlements;
  private final Drifts drifts;
  private volatile @Nullable QueuedRuns queue;

  /**
   * @param places the places of the runs at the same time, waiting ones included, but not those of the queue
   * @param key the key under which plans show secrets
   */
  public Runs(Catalogue catalogue, RunServices services, ExecutorIdentity executor, Supplier<RequestId> ids,
      Places places, HomeKey key, Tracing tracing, EligibleHosts hosts) {
    this.catalogue = catalogue;
    this.services = services;
    this.executor = executor;
    this.hosts = hosts;
    this.preparation = new Preparation(catalogue, ids, services.time(), key, tracing, services.rules(),
        services.prober(executor));
    this.activeRuns = new ActiveRuns(services, executor);
    this.abandoned = new AbandonedRuns(services, executor);
    this.distantRuns = new DistantRuns(services.store().changes(), services.scheduler());
    this.approvals = new RunApprovals(preparation, services, executor, key, this::handle, this::enqueue);
    this.drifts = new Drifts(services.audit(), services.time());
    this.settlements = new Settlements(catalogue, preparation, services, executor, abandoned);
    this.admission = new Admission(preparation, services, executor, activeRuns, abandoned, this::handle, places,
        approvals, settlements, drifts);
    this.places = places;
  }

  /**
   * The runs that wait in a queue for any executor. From now on it gets the requests that this host may not execute.
   */
  public QueuedRuns queued(QueuedRuns.Backlog backlog) {
    QueuedRuns queued = new QueuedRuns(backlog, catalogue, preparation, admission, approvals, abandoned, services,
        executor, hosts);
    queue = queued;
    return queued;
  }

  /** Adds an approved run to the queue now, if this process has it; otherwise a service finds it soon. */
  private void enqueue(RequestId id) {
    QueuedRuns known = queue;
    if (known != null) {
      known.restore(id);
    }
  }

  /** The runs that must be approved before they begin. */
  public RunApprovals approvals() {
    return approvals;
  }

  /** The scheduled intents whose desired state does not hold. */
  public Drifts drifts() {
    return drifts;
  }

  /** Requests a run for the process itself. */
  public SubmitOutcome submit(RunRequest request) {
    return submit(request, new Places.Holder(request.origin().actor().name(), null));
  }

  /**
   * Requests a run. Returns when the run has begun, waits, or is refused. A run that requires a label that this host
   * does not have goes to the queue.
   *
   * @param holder takes the place of the run
   * @throws IllegalStateException if such a run is requested of an executor without a queue
   */
  public SubmitOutcome submit(RunRequest request, Places.Holder holder) {
    if (missingLabels(request.intent()).isEmpty()) {
      return admission.submit(request, holder);
    }
    QueuedRuns elsewhere = queue;
    if (elsewhere == null) {
      throw new IllegalStateException("intent " + request.intent() + " cannot run on this host, and there is no queue");
    }
    return elsewhere.enqueue(request);
  }

  /** The places of the runs that were requested of this executor. */
  public Places places() {
    return places;
  }

  /** The labels that an intent requires and that this host does not have, so that another one executes its runs. */
  public List<String> missingLabels(String intent) {
    return catalogue.find(intent).map(it -> hosts.missingHere(it.runsOn())).orElse(List.of());
  }

  /** Returns what a request would do; takes and writes nothing. */
  public PlanOutcome plan(RunRequest request) {
    return PlanOutcome.of(request, preparation, services.locks(), services.foreign(), hosts);
  }

  /** Returns what the probe of an intent sees now; takes and writes nothing. */
  public LookOutcome look(RunRequest request) {
    return LookOutcome.of(request, preparation);
  }

  /** Answers what became of a run whose end nobody saw. */
  public Settlements.Outcome settle(RequestId id, Actor by) {
    return settlements.settle(id, by);
  }

  /** Finds a run, wherever it is executed. */
  public Optional<RunHandle> find(RequestId requestId) {
    return activeRuns.find(requestId).map(ActiveRun::handle)
        .or(() -> services.store().find(requestId).map(abandoned::settled).map(this::handle));
  }

  /**
   * Passes the newest runs to a reader until it returns false.
   *
   * @throws InvalidValue if there is none, and the intent of the query is not declared but one with a similar name is
   */
  public void read(RunStore.Query query, Predicate<Placed<Run>> reader) {
    abandoned.end();
    AtomicBoolean isEmpty = new AtomicBoolean(true);
    services.store().read(query, stored -> {
      isEmpty.setPlain(false);
      return reader.test(stored
          .as(run -> activeRuns.find(run.requestId()).map(active -> active.handle().run()).orElse(run)));
    });
    if (isEmpty.getPlain() && query.intent() != null) {
      rejectMistyped(query.intent());
    }
  }

  /** The runs that have not finished, in the order of their requests; those of dead executors are interrupted first. */
  public List<UnfinishedRun> unfinished() {
    abandoned.end();
    return services.store().unfinished().stream().map(RunStore.Unfinished::requestId)
        .flatMap(id -> unfinishedNow(id).stream()).toList();
  }

  private Optional<UnfinishedRun> unfinishedNow(RequestId id) {
    return activeRuns.find(id).map(active -> new UnfinishedRun(active.handle().run(), active.handle()))
        .or(() -> services.store().find(id).map(run -> new UnfinishedRun(run, null)))
        .filter(it -> !it.run().status().isFinished());
  }

  /** What a run waits for; empty if it does not wait, or is about to begin. */
  public Optional<RunWait> waitOf(Run run, RunHandle handle) {
    return RunWait.of(run, handle, services, hosts);
  }

  /** The median duration of an intent's newest successful runs; empty if there are none. */
  public Optional<Duration> usualDuration(String intent) {
    List<Duration> past = new ArrayList<>();
    services.store().read(RunStore.Query.of(intent, RunStatus.SUCCEEDED, SAMPLES),
        run -> past.add(duration(run.row())));
    return past.stream().sorted().skip(past.size() / 2).findFirst();
  }

  /** From the first step to the end, because the wait for a lock is not part of the work. */
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

  /** Cancels a run for an actor, which the audit log names. */
  public CancelOutcome cancel(RequestId requestId, Actor by) {
    return cancel(requestId, by, run -> services.audit().append(new AuditEvent.RunCancelRequested(requestId,
        services.time().now(), run.intent(), run.header().lockName(), Origin.of(by))));
  }

  /** Cancels a run for its own actor: its step is ended, its steps are rolled back, and its lock is released. */
  public CancelOutcome cancel(RequestId requestId) {
    Optional<Run> known = activeRuns.unfinished(requestId).map(active -> active.handle().run())
        .or(() -> services.store().find(requestId));
    return known.map(run -> cancel(requestId, run.actor(), _ -> {})).orElseGet(CancelOutcome.NotFound::new);
  }

  /** Tries again if the run ends, or changes its executor, between two reads. */
  private CancelOutcome cancel(RequestId requestId, Actor by, Consumer<Run> onRequest) {
    for (;;) {
      Optional<ActiveRun> active = activeRuns.unfinished(requestId);
      if (active.isPresent()) {
        onRequest.accept(active.get().handle().run());
        active.get().cancel();
        return new CancelOutcome.Requested();
      }
      Optional<Run> found = services.store().find(requestId).map(abandoned::settled);
      if (found.isEmpty()) {
        return new CancelOutcome.NotFound();
      }
      Run run = found.get();
      if (run.status().isFinished()) {
        return new CancelOutcome.Finished(run);
      }
      Optional<CancelOutcome> outcome = abandoned.unfinished(requestId)
          .flatMap(it -> cancel(run, it.executor(), by));
      if (outcome.isPresent()) {
        outcome.filter(CancelOutcome.Requested.class::isInstance).ifPresent(_ -> onRequest.accept(run));
        return outcome.get();
      }
    }
  }

  /** Cancels a run of another executor, or of the queue; empty if that does not have the run, or is dead. */
  private Optional<CancelOutcome> cancel(Run run, String owner, Actor by) {
    RequestId id = run.requestId();
    if (owner.equals(RunStore.APPROVAL)) {
      return approvals.cancel(id) ? Optional.of(new CancelOutcome.Requested()) : Optional.empty();
    }
    if (owner.equals(RunStore.QUEUE)) {
      Optional<Run> taken = services.store().take(id, owner, executor.id());
      taken.ifPresent(it -> services.save(it.finished(RunStatus.CANCELLED, services.time().now()), true));
      return taken.map(_ -> new CancelOutcome.Requested());
    }
    if (executor.isAlive().test(owner)) {
      return services.store().requests().put(id, owner, RunRequests.Kind.CANCEL, by)
          ? Optional.of(new CancelOutcome.Requested())
          : Optional.empty();
    }
    abandoned.interrupt(id, owner);
    return Optional.empty();
  }

  /** Ends the wait of a run for its locks; a run of this executor that has them, and any other run, continues. */
  public void cancelWait(RequestId requestId) {
    activeRuns.unfinished(requestId).ifPresent(ActiveRun::cancelWait);
  }

  /** Records progress of a run, wherever it is executed. */
  public BeatOutcome beat(RequestId requestId, Actor by) {
    Optional<ActiveRun> active = activeRuns.unfinished(requestId);
    if (active.isPresent()) {
      return active.get().beat() ? new BeatOutcome.Recorded() : new BeatOutcome.NotNeeded();
    }
    return services.store().find(requestId).map(abandoned::settled).map(run -> beat(run, by))
        .orElseGet(BeatOutcome.NotFound::new);
  }

  private BeatOutcome beat(Run run, Actor by) {
    if (run.status().isFinished()) {
      return new BeatOutcome.Finished();
    }
    boolean isNeeded = run.status() == RunStatus.RUNNING && run.lock() != null
        && run.lock().heartbeat() == Controls.Heartbeat.PROGRESS;
    return isNeeded
        ? abandoned.unfinished(run.requestId()).map(it -> beat(run.requestId(), it.executor(), by))
            .orElseGet(BeatOutcome.NotNeeded::new)
        : new BeatOutcome.NotNeeded();
  }

  private BeatOutcome beat(RequestId id, String owner, Actor by) {
    return services.store().requests().put(id, owner, RunRequests.Kind.BEAT, by)
        ? new BeatOutcome.Recorded()
        : new BeatOutcome.NotNeeded();
  }

  /** Marks the runs of dead executors as interrupted; nothing is resumed or rolled back. */
  public List<Run> recover() {
    return abandoned.recover();
  }

  /** Releases the locks of interrupted runs whose intents allow it; those of others go stale. */
  public InterruptedLocks.Outcome releaseInterrupted() {
    return abandoned.releaseInterrupted();
  }

  /** The number of runs that this executor has. */
  public int active() {
    return activeRuns.all().size();
  }

  /**
   * Rejects new requests, ends the waits of runs, cancels running ones after a grace period, and returns when all have
   * ended.
   */
  public void close(Duration grace) {
    admission.close();
    activeRuns.all().forEach(ActiveRun::cancelWait);
    services.scheduler().after(grace, () -> activeRuns.all().forEach(ActiveRun::cancel));
    List.copyOf(activeRuns.all()).forEach(ActiveRun::awaitEnd);
  }

  private RunHandle handle(Run run) {
    RequestId id = run.requestId();
    return activeRuns.find(id).map(ActiveRun::handle).orElseGet(() -> new DistantRun(run,
        new LastKnownRun(run, () -> services.store().find(id).map(abandoned::settled).orElse(run)), services,
        distantRuns));
  }

  /** The outcome of a heartbeat for a run from outside. */
  public sealed interface BeatOutcome {

    /** The heartbeat counts as progress. */
    record Recorded() implements BeatOutcome {}

    /** The run needs no heartbeats: it waits, or its intent does not require progress. */
    record NotNeeded() implements BeatOutcome {}

    /** The run had already finished. */
    record Finished() implements BeatOutcome {}

    /** There is no such run. */
    record NotFound() implements BeatOutcome {}
  }

  /** The outcome of a request to cancel a run. */
  public sealed interface CancelOutcome {

    /** The run will end soon; if another process executes it, the request is recorded. */
    record Requested() implements CancelOutcome {}

    /** The run had already finished, or was interrupted because its executor is dead. */
    record Finished(Run run) implements CancelOutcome {}

    /** There is no such run. */
    record NotFound() implements CancelOutcome {}
  }

  /** The outcome of a plan: what a request would do. */
  public sealed interface PlanOutcome {

    /** The request would be accepted. */
    record Planned(Plan plan) implements PlanOutcome {}

    /** The request would be refused. */
    record NotPlanned(SubmitOutcome.Refusal why) implements PlanOutcome {}

    /** Plans a request; takes and writes nothing, and needs no executor. */
    static PlanOutcome of(RunRequest request, Catalogue catalogue, Locks locks, ForeignLocks foreign,
        Supplier<RequestId> ids, TimeSource time, HomeKey key, EligibleHosts hosts, PolicyRules rules,
        Prober prober) {
      return of(request, new Preparation(catalogue, ids, time, key, Tracing.NONE, rules, prober), locks, foreign,
          hosts);
    }

    /** The same for an executor. */
    static PlanOutcome of(RunRequest request, Preparation preparation, Locks locks, ForeignLocks foreign,
        EligibleHosts hosts) {
      return switch (preparation.prepareNow(request)) {
        case Preparation.NotReady(SubmitOutcome.Refusal why) -> new NotPlanned(why);
        case Preparation.Ready(PreparedRun prepared) -> {
          Observation seen = preparation.look(prepared);
          yield new Planned(Plan.of(prepared, preparation.shown(request, prepared, seen), seen, locks, foreign, hosts));
        }
      };
    }
  }

  /** The outcome of a look at what an intent changes. */
  public sealed interface LookOutcome {

    /**
     * What its probe sees.
     *
     * @param desired the state that must hold after a run, as JSON; null if the intent names none
     */
    record Looked(Intent intent, Observation seen, @Nullable String desired) implements LookOutcome {}

    /** The intent has no probe. */
    record NoProbe(String intent) implements LookOutcome {}

    /** The request is not valid. */
    record NotLooked(SubmitOutcome.Refusal why) implements LookOutcome {}

    /** Looks with these values; takes and writes nothing. */
    static LookOutcome of(RunRequest request, Preparation preparation) {
      return switch (preparation.prepareLook(request)) {
        case Preparation.NotReady(SubmitOutcome.Refusal why) -> new NotLooked(why);
        case Preparation.Ready(PreparedRun prepared) -> {
          Observation seen = preparation.look(prepared);
          yield seen == null
              ? new NoProbe(request.intent())
              : new Looked(prepared.intent(), seen, prepared.desired());
        }
      };
    }

    /** The same without an executor. */
    static LookOutcome of(RunRequest request, Catalogue catalogue, Supplier<RequestId> ids, TimeSource time,
        HomeKey key, PolicyRules rules, Prober prober) {
      return of(request, new Preparation(catalogue, ids, time, key, Tracing.NONE, rules, prober));
    }
  }

  /**
   * A run that has not finished.
   *
   * @param handle what this process knows about a run that it executes; null for any other run, which its record shows
   */
  public record UnfinishedRun(Run run, @Nullable RunHandle handle) {}
}
