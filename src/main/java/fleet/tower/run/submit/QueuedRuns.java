package fleet.tower.run.submit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.intent.Values;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest.Reentry;
import fleet.tower.platform.StorageException;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.ActiveRun;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.PreparedRun;
import fleet.tower.run.execute.RunServices;

/**
 * Runs that wait in a queue until any executor with a free worker takes them.
 *
 * <ol>
 * <li>The request is checked like every other one. A request with a secret is rejected, because its record would contain it.
 * <li>The run is recorded durably as belonging to the queue, and then added to the backlog. If a crash prevents that, {@link #mend}
 * adds it later.
 * <li>An executor that receives the entry takes the record, from the queue or from an executor that died. The record decides, not
 * the entry, so two executors with the same entry do not both get the run.
 * <li>Once a step has begun, no other executor takes the run; if its executor dies, the run is interrupted.
 * <li>An executor that closes while the run waits for its lock returns the run to the queue.
 * </ol>
 */
public final class QueuedRuns {
  private final Runs runs;
  private final Backlog backlog;
  private final Preparation preparation;
  private final RunServices services;
  private final ExecutorIdentity executor;
  private final Supplier<RequestId> ids;

  QueuedRuns(Runs runs, Backlog backlog, Preparation preparation, RunServices services, ExecutorIdentity executor,
      Supplier<RequestId> ids) {
    this.runs = runs;
    this.backlog = backlog;
    this.preparation = preparation;
    this.services = services;
    this.executor = executor;
    this.ids = ids;
  }

  /** The queue of run ids. Each entry is delivered to one executor at a time. */
  public interface Backlog {
    /** Adds a run; if it is there already, its entry stays as it is. */
    void put(RequestId requestId);

    /** The number of entries, including those that an executor has. */
    long size();
  }

  /** Requests a run by any executor. Returns when the run is recorded and added to the backlog. */
  public SubmitOutcome enqueue(RunRequest request) {
    RequestId id = request.requestId() == null ? ids.get() : request.requestId();
    return runs.unlessClosing(() -> admit(request.withId(id), id), SubmitOutcome.Closing::new);
  }

  private SubmitOutcome admit(RunRequest request, RequestId id) {
    Preparation.Outcome outcome = preparation.prepare(request,
        subject -> new Run.Header(id, subject, request.origin(), services.time().now(), QueuedRequest.write(request)));
    return switch (outcome) {
      case Preparation.NotReady(SubmitOutcome.Rejected why) -> why;
      case Preparation.Ready(PreparedRun prepared) -> {
        List<Values.Problem> secrets = secrets(request, prepared);
        if (!secrets.isEmpty()) {
          yield new SubmitOutcome.InvalidParams(secrets);
        }
        try {
          yield record(request, prepared);
        } catch (StorageException e) {
          yield new SubmitOutcome.Unavailable(e.publicMessage());
        }
      }
    };
  }

  private static List<Values.Problem> secrets(RunRequest request, PreparedRun prepared) {
    List<Values.Problem> problems = new ArrayList<>();
    prepared.intent().params().stream().filter(param -> param.secret() && request.params().containsKey(param.name()))
        .forEach(param -> problems.add(new Values.Problem("/params/" + param.name(),
            "it is secret, and a queued run would keep it in the database until it is taken; run it without the queue")));
    return problems;
  }

  private SubmitOutcome record(RunRequest request, PreparedRun prepared) {
    RunStore.Claim claim = Runs.claim(request, prepared);
    SubmitOutcome.Refused own = prepared.lock() == null ? null : refusedByItself(claim, prepared.lock());
    if (own != null) {
      return own;
    }
    Run waiting = prepared.newRun(true);
    SubmitOutcome known = runs.known(services.store().begin(claim, waiting, RunStore.QUEUE));
    if (known == null) {
      services.listener().begun(waiting);
      services.audit().append(new AuditEvent.RunQueued(waiting.requestId(), services.time().now(), request.intent(),
          prepared.lock(), executor.origin(waiting.header())));
    }
    backlog.put(waiting.requestId());
    return known == null ? new SubmitOutcome.Accepted(runs.handle(waiting), false) : known;
  }

  /**
   * Refuses a new run whose lock is held under its own id. A client took that lock, and an executor could not
   * distinguish it from one that a dead executor took for the run.
   */
  private SubmitOutcome.@Nullable Refused refusedByItself(RunStore.Claim claim, LeaseName lock) {
    Owner owner = new Owner(claim.requestId(), claim.actor());
    return services.locks().view(lock).leaseState() instanceof LeaseState.Held held
        && held.lease().isHeldBy(owner, FencingToken.NONE) && services.store().look(claim) instanceof RunStore.New
            ? new SubmitOutcome.Refused(lock, new Decision.Blocked(held.lease(), held.age()))
            : null;
  }

  /** Takes a run of the backlog, and begins it. */
  public TakeOutcome take(RequestId requestId) {
    return runs.unlessClosing(() -> takeEntry(requestId), TakeOutcome.Closing::new);
  }

  private TakeOutcome takeEntry(RequestId requestId) {
    Optional<RunStore.Unfinished> unfinished = runs.unfinished(requestId);
    Optional<Run> run = services.store().find(requestId).filter(it -> it.isQueued() && it.begun().isEmpty());
    if (unfinished.isEmpty() || run.isEmpty()) {
      // The run has finished, or a step of it has begun and it stays with its executor, or it has no record.
      return new TakeOutcome.Done();
    }
    String owner = unfinished.get().executor();
    boolean isTaken = !owner.equals(RunStore.QUEUE) && executor.isAlive().test(owner);
    return isTaken || runs.isActive(requestId)
        ? new TakeOutcome.Elsewhere()
        : services.store().take(requestId, owner, executor.id(), executor.hostId())
            .map(mine -> begin(mine, owner.equals(RunStore.QUEUE) ? Reentry.NEVER : Reentry.RESUMED_RUN))
            .orElseGet(TakeOutcome.Elsewhere::new);
  }

  private TakeOutcome begin(Run run, Reentry reentry) {
    services.listener().begun(run);
    RunRequest request = QueuedRequest.read(run, String.valueOf(run.header().order()));
    return switch (preparation.prepare(request, subject -> run.header())) {
      case Preparation.Ready(PreparedRun prepared) when isSame(prepared, run) -> {
        ActiveRun active = runs.beginQueued(prepared, request, reentry);
        yield new TakeOutcome.Taken(active.handle(), active::awaitEnd);
      }
      case Preparation.Ready(PreparedRun prepared) -> refuse(run, "its version is " + prepared.intent().version()
          + " now, and was " + run.header().subject().version() + " when the run was requested");
      case Preparation.NotReady(SubmitOutcome.Rejected why) -> refuse(run, problem(why));
    };
  }

  private static boolean isSame(PreparedRun prepared, Run run) {
    return prepared.intent().version().equals(run.header().subject().version());
  }

  private static String problem(SubmitOutcome.Rejected why) {
    return switch (why) {
      case SubmitOutcome.UnknownIntent _ -> "it no longer exists";
      case SubmitOutcome.InvalidParams invalid ->
        "it no longer accepts the parameters: " + invalid.problems().getFirst().message();
      case SubmitOutcome.InvalidLockName(String problem) -> "the name of its lock is no longer valid: " + problem;
      case SubmitOutcome.Refused _,SubmitOutcome.Foreign _,SubmitOutcome.Mismatch _,SubmitOutcome.PlanChanged _,SubmitOutcome.Unavailable _,SubmitOutcome.TooMany _,SubmitOutcome.Closing _ ->
        throw new IllegalStateException("preparing a request cannot be rejected as " + why);
    };
  }

  private TakeOutcome refuse(Run run, String problem) {
    services.save(run.refused(new RunRefusal.IntentChanged(run.intent(), problem), services.time().now()), true);
    return new TakeOutcome.Done();
  }

  /** Ends a run that no executor brought to its first step, however often it was tried. */
  public void giveUp(RequestId requestId) {
    runs.unfinished(requestId).filter(it -> it.executor().equals(RunStore.QUEUE)
        || !executor.isAlive().test(it.executor())).ifPresent(it -> runs.interrupt(requestId, it.executor()));
  }

  /**
   * Adds queued runs to the backlog again: a crash between the record and the entry leaves a run that no executor would
   * find.
   */
  public void mend() {
    List<RequestId> waiting = services.store().unfinished().stream()
        .filter(run -> run.executor().equals(RunStore.QUEUE)).map(RunStore.Unfinished::requestId).toList();
    if (!waiting.isEmpty() && backlog.size() < waiting.size()) {
      waiting.forEach(backlog::put);
    }
  }
}
