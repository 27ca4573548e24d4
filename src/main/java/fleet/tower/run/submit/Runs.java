package fleet.tower.run.submit;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLocks;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Controls;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.lock.AcquireRequest.Reentry;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.Tracing;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.PreparedRun;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.execute.RunServices;

/**
 * Runs as people and programs ask for them.
 *
 * <ol>
 * <li>The request is checked: its intent, its values, the name of its lock.
 * <li>If the same request came before, its run is the answer.
 * <li>If its lock is plainly not to be had and nobody wants to wait, that is the answer, and nothing is written.
 * <li>If another tool's lock is in its way, likewise. Who is about to wait for the own lock looks for that behind the wait only:
 * whom it waits for may be the one that holds the other lock too.
 * <li>The run is recorded, durably. From here on no crash makes the same request run twice.
 * <li>The lock is taken, or waited for, and then other tools' locks are looked at again and taken. Whoever is refused after all
 * gives back what it has, the request's name as well.
 * <li>The run is executed, on a virtual thread of its own.
 * </ol>
 */
public final class Runs {
  private final RunServices workshop;
  private final ExecutorIdentity executor;
  private final ForeignLocks foreign;
  private final Preparation preparation;
  private final Catalogue catalogue;
  private final Supplier<RequestId> ids;
  private final Map<RequestId, PendingRun> attempts = new ConcurrentHashMap<>();
  /** Requests pass it together; going down waits until all who are in it have their answer. */
  private final ReadWriteLock entrance = new ReentrantReadWriteLock();
  /** For those that are asked for and begin at once; what is taken from the queue has its own bound, the workers. */
  private final Semaphore room;
  private final int limit;
  private boolean closing;

  /** Any number of runs, none of which is a span. */
  public Runs(Catalogue catalogue, RunServices workshop, ExecutorIdentity executor, ForeignLocks foreign,
      Supplier<RequestId> ids) {
    this(catalogue, workshop, executor, foreign, ids, Integer.MAX_VALUE, Tracing.NONE);
  }

  /** So many runs at the same time, those that wait for their lock included. */
  public Runs(Catalogue catalogue, RunServices workshop, ExecutorIdentity executor, ForeignLocks foreign,
      Supplier<RequestId> ids, int limit, Tracing tracing) {
    this.room = new Semaphore(limit);
    this.limit = limit;
    this.workshop = workshop;
    this.executor = executor;
    this.foreign = foreign;
    this.preparation = new Preparation(catalogue, ids, workshop.time(), tracing);
    this.catalogue = catalogue;
    this.ids = ids;
  }

  /** The runs that any executor may take, noted in a backlog. */
  public QueuedRuns queued(QueuedRuns.Backlog backlog) {
    return new QueuedRuns(this, backlog, preparation, workshop, executor, ids);
  }

  /** Asks for a run. The answer comes when it is known whether it may begin, or that it has to wait. */
  public SubmitOutcome submit(RunRequest request) {
    return letIn(() -> admit(request), SubmitOutcome.Closing::new);
  }

  /** Does something that begins a run, unless this executor is going down. */
  <T> T letIn(Supplier<T> beginning, Supplier<T> otherwise) {
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

  /** What would be done, without a lock taken or a thing begun. */
  public PlanOutcome plan(RunRequest request) {
    return PlanOutcome.of(request, catalogue, workshop.locks(), foreign, ids, workshop.time());
  }

  private SubmitOutcome submit(RunRequest request, PreparedRun prepared) {
    RunStore.Claim claim = claim(request, prepared);
    SubmitOutcome known = known(workshop.store().look(claim));
    if (known != null) {
      return known;
    }
    AcquireRequest acquire = prepared.lock() == null
        ? null
        : acquireRequest(prepared, prepared.lock(), request.terms(), Reentry.NEVER);
    if (acquire != null && request.terms().patience().isZero()) {
      // Whether a lock under the run's own id is that of the same request, which came before, the record below tells.
      Optional<Decision.Refusal> refusal = workshop.locks().refusal(acquire.with(Reentry.RESUMED_RUN));
      if (refusal.isPresent()) {
        return new SubmitOutcome.Refused(acquire.name(), refusal.get());
      }
    }
    if (acquire == null || request.terms().patience().isZero() || !mustWait(acquire)) {
      Optional<ForeignLock.Refusal> refusal = foreign.refusal(prepared.foreign(), prepared.header().requestId(),
          executor.origin(prepared.header()));
      if (refusal.isPresent()) {
        return new SubmitOutcome.Foreign(refusal.get());
      }
    }
    return begin(claim, attempt(prepared, acquire, request.terms()));
  }

  static RunStore.Claim claim(RunRequest request, PreparedRun prepared) {
    return new RunStore.Claim(prepared.header().requestId(), request.origin().actor().name(), request.idempotencyKey(),
        RequestDigest.of(request, prepared));
  }

  private PendingRun attempt(PreparedRun prepared, @Nullable AcquireRequest acquire, RunRequest.Terms terms) {
    return new PendingRun(prepared, acquire, terms, workshop, executor, foreign);
  }

  /**
   * Begins a run that this executor has taken from the queue.
   *
   * @param reentry whether an executor that died may have taken its lock already
   */
  PendingRun beginTaken(PreparedRun prepared, RunRequest.Terms terms, Reentry reentry) {
    LeaseName lock = prepared.lock();
    PendingRun attempt = attempt(prepared, lock == null ? null : acquireRequest(prepared, lock, terms, reentry), terms);
    RequestId id = prepared.header().requestId();
    attempts.put(id, attempt);
    attempt.startTaken(() -> attempts.remove(id));
    return attempt;
  }

  boolean isAtWork(RequestId id) {
    return attempts.containsKey(id);
  }

  private boolean mustWait(AcquireRequest request) {
    return workshop.locks().look(request.name())
        .decide(request) instanceof Decision.Refusal;
  }

  /** The answer to a request that came before; null where it did not, or may be tried anew. */
  @Nullable
  SubmitOutcome known(RunStore.Prior prior) {
    return switch (prior) {
      case RunStore.New() -> null;
      case RunStore.Different(RequestId id) -> new SubmitOutcome.Mismatch(id);
      case RunStore.Same(Run run) -> new SubmitOutcome.Accepted(ticket(run), true);
    };
  }

  private SubmitOutcome begin(RunStore.Claim claim, PendingRun attempt) {
    if (!room.tryAcquire()) {
      return new SubmitOutcome.TooMany(limit);
    }
    Run waiting = attempt.live().run();
    boolean isIn = false;
    try {
      SubmitOutcome known = known(workshop.store().begin(claim, waiting, executor.id()));
      if (known != null) {
        return known;
      }
      attempts.put(waiting.requestId(), attempt);
      isIn = true;
    } finally {
      if (!isIn) {
        room.release();
      }
    }
    Runnable leave = () -> {
      if (attempts.remove(waiting.requestId(), attempt)) {
        room.release();
      }
    };
    try {
      return attempt.start(leave);
    } catch (RuntimeException e) {
      leave.run();
      throw e;
    }
  }

  private AcquireRequest acquireRequest(PreparedRun prepared, LeaseName name, RunRequest.Terms terms, Reentry reentry) {
    Holder holder = new Holder(prepared.header().origin().actor().name(), prepared.intent().name(),
        prepared.intent().version(), executor.hostId(), executor.pid());
    return new AcquireRequest(name, prepared.header().requestId(), holder, prepared.intent().timeouts().lockTtl(),
        terms.force(), prepared.intent().controls().heartbeat() == Controls.Heartbeat.PROGRESS
            ? metadata(prepared.header().origin()).provingProgress()
            : metadata(prepared.header().origin()),
        reentry, prepared.header().origin().actor());
  }

  /** What the lock tells of the caller: all that the run does. */
  private static Metadata metadata(Run.Origin origin) {
    try {
      return Metadata.of(JsonReader.readObject(origin.metadata()), origin.actor().onBehalfOf());
    } catch (JsonException e) {
      throw new IllegalStateException("the metadata of a run must be a JSON object: " + e.getMessage(), e);
    }
  }

  /** The run of an id, wherever it is executed. */
  public Optional<RunHandle> find(RequestId requestId) {
    PendingRun attempt = attempts.get(requestId);
    if (attempt != null) {
      return Optional.of(attempt.live());
    }
    return workshop.store().find(requestId).map(this::settled).map(this::ticket);
  }

  /** Hands over the newest runs until it is answered false. */
  public void read(RunStore.Query query, Predicate<Run> reader) {
    recover();
    workshop.store().read(query, run -> {
      PendingRun attempt = attempts.get(run.requestId());
      return reader.test(attempt == null ? run : attempt.live().run());
    });
  }

  /** What became of a wish to stop a run. */
  public sealed interface Cancellation {}

  /** It will end soon. */
  public record Asked() implements Cancellation {}

  /** It had ended before. */
  public record Finished() implements Cancellation {}

  /** Another process is at it, which has to be asked itself; its number where that is known. */
  public record Elsewhere(OptionalLong pid) implements Cancellation {}

  /** There is no such run. */
  public record Unknown() implements Cancellation {}

  /** Stops a run: what runs is ended, undone, and its lock is given back. */
  public Cancellation cancel(RequestId requestId) {
    PendingRun attempt = attempts.get(requestId);
    if (attempt != null && !attempt.live().run().status().isFinished()) {
      attempt.cancel();
      return new Asked();
    }
    Optional<Run> unbegun = workshop.store().take(requestId, RunStore.QUEUE, executor.id());
    if (unbegun.isPresent()) {
      workshop.store().save(unbegun.get().finished(RunStatus.CANCELLED, workshop.time().now()), true);
      return new Asked();
    }
    return workshop.store().find(requestId).map(this::settled)
        .<Cancellation>map(run -> run.status().isFinished() ? new Finished() : new Elsewhere(executorOf(requestId)))
        .orElseGet(Unknown::new);
  }

  /** What became of a beat for a run. */
  public sealed interface Beating {}

  /** It proves that the run gets on. */
  public record Beaten() implements Beating {}

  /** The run is not over, and needs no beats: it waits, or its intent asks for no progress. */
  public record NotNeeded() implements Beating {}

  /** The run was over. */
  public record TooLate() implements Beating {}

  /** There is no such run. */
  public record NoRun() implements Beating {}

  /** Says that a run gets on, wherever it is executed. */
  public Beating beat(RequestId requestId) {
    PendingRun attempt = attempts.get(requestId);
    if (attempt != null && !attempt.live().run().status().isFinished()) {
      return attempt.beat() ? new Beaten() : new NotNeeded();
    }
    return workshop.store().find(requestId).map(this::settled).<Beating>map(run -> {
      if (run.status().isFinished()) {
        return new TooLate();
      }
      return executor.outside().leave(requestId) ? new Beaten() : new NotNeeded();
    }).orElseGet(NoRun::new);
  }

  private OptionalLong executorOf(RequestId requestId) {
    return unfinished(requestId).map(run -> executor.pidOf().apply(run.executor())).orElseGet(OptionalLong::empty);
  }

  Optional<RunStore.Unfinished> unfinished(RequestId requestId) {
    return workshop.store().unfinished().stream().filter(run -> run.requestId().equals(requestId)).findFirst();
  }

  /** Marks the runs of executors that died. Their locks are left to go stale; nothing is resumed or undone. */
  public List<Run> recover() {
    return workshop.store().unfinished().stream().filter(this::isLeft)
        .map(run -> interrupt(run.requestId(), run.executor())).flatMap(Optional::stream).toList();
  }

  /** Whether nobody is at a run any more, and nobody will be. */
  private boolean isLeft(RunStore.Unfinished unfinished) {
    return !unfinished.executor().equals(RunStore.QUEUE) && !executor.isAlive().test(unfinished.executor())
        && workshop.store().find(unfinished.requestId()).filter(run -> !run.isQueued() || !run.begun().isEmpty())
            .isPresent();
  }

  Optional<Run> interrupt(RequestId requestId, String deadExecutor) {
    Optional<Run> interrupted = workshop.store().interrupt(requestId, deadExecutor, workshop.time().now());
    interrupted.ifPresent(run -> workshop.audit().append(new AuditEvent.RunFinished(requestId, workshop.time().now(),
        run.header().subject().intent(), RunStatus.INTERRUPTED.toString(),
        String.valueOf(RunStatus.INTERRUPTED.result()), run.progress().failureStep(), "skipped: executor died",
        new Origin(run.header().origin().actor(), run.header().subject().intent(), null, null))));
    return interrupted;
  }

  /** How many runs this process has. */
  public int active() {
    return attempts.size();
  }

  /**
   * Takes no new requests, ends what waits, lets what runs go on for a while and then cancels it; returns when all is over.
   */
  public void close(Duration grace) {
    entrance.writeLock().lock();
    try {
      // Whoever was let in before this is among the attempts, and is ended below.
      closing = true;
    } finally {
      entrance.writeLock().unlock();
    }
    attempts.values().forEach(PendingRun::cancelWhileWaiting);
    workshop.scheduler().after(grace, () -> attempts.values().forEach(PendingRun::cancel));
    List.copyOf(attempts.values()).forEach(PendingRun::awaitEnd);
  }

  RunHandle ticket(Run run) {
    PendingRun attempt = attempts.get(run.requestId());
    if (attempt != null) {
      return attempt.live();
    }
    return new DistantRun(() -> workshop.store().find(run.requestId()).map(this::settled).orElse(run),
        workshop.scheduler());
  }

  /** A run as it is, which is interrupted when its executor has died meanwhile. */
  private Run settled(Run run) {
    if (run.status().isFinished()) {
      return run;
    }
    return unfinished(run.requestId()).filter(this::isLeft)
        .flatMap(unfinished -> interrupt(run.requestId(), unfinished.executor())).orElse(run);
  }
}
