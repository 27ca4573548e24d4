package fleet.tower.run.submit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
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
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.PreparedRun;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.execute.RunServices;

/**
 * Runs that are not executed by who is asked for them, but by any executor that has a hand free.
 *
 * <ol>
 * <li>The request is checked like every other one. A run that would be kept with a secret is refused.
 * <li>The run is recorded, durably, as nobody's, and then noted in the backlog. A note that a crash kept from being written is
 * written later, by {@link #mend}.
 * <li>An executor that gets the note takes the record: from nobody, or from an executor that died. The record decides, not the
 * note, so two who have the note do not both get the run.
 * <li>Once a step has begun the run is given to nobody any more. When its executor dies then, it is interrupted.
 * <li>An executor that goes away while the run waits for its lock gives it back.
 * </ol>
 */
public final class QueuedRuns {
  private final Runs runs;
  private final Backlog backlog;
  private final Preparation preparation;
  private final RunServices workshop;
  private final ExecutorIdentity executor;
  private final Supplier<RequestId> ids;

  QueuedRuns(Runs runs, Backlog backlog, Preparation preparation, RunServices workshop, ExecutorIdentity executor,
      Supplier<RequestId> ids) {
    this.runs = runs;
    this.backlog = backlog;
    this.preparation = preparation;
    this.workshop = workshop;
    this.executor = executor;
    this.ids = ids;
  }

  /** Notes of the runs that are to be taken, each for one executor at a time. */
  public interface Backlog {
    /** Notes a run; one that is noted already is left as it is. */
    void put(RequestId requestId);

    /** How many are noted, those that an executor has included. */
    long size();
  }

  /** What came of a note. */
  public sealed interface Taking {}

  /**
   * It is this executor's now, and under way.
   *
   * @param end waits until this executor is through with it; whether the run has ended, and did not go back into the queue
   */
  public record Taken(RunHandle ticket, BooleanSupplier end) implements Taking {}

  /** Nothing is to be done for the run any more, by whom ever. */
  public record Over() implements Taking {}

  /** Another executor has it, and no step of it has begun. */
  public record Elsewhere() implements Taking {}

  /** This executor is going down. */
  public record Closing() implements Taking {}

  /** Asks for a run by whoever has a hand free. The answer comes when it is recorded and noted. */
  public SubmitOutcome enqueue(RunRequest request) {
    RequestId id = request.requestId() == null ? ids.get() : request.requestId();
    return runs.letIn(() -> admit(request.withId(id), id), SubmitOutcome.Closing::new);
  }

  private SubmitOutcome admit(RunRequest request, RequestId id) {
    Preparation.Result result = preparation.prepare(request,
        subject -> new Run.Header(id, subject, request.origin(), workshop.time().now(), QueuedRequest.write(request)));
    return switch (result) {
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
    Run waiting = new Run(prepared.header(), RunStatus.WAITING, null, prepared.beginning(),
        prepared.intent().warnings(), null, null);
    SubmitOutcome known = runs.known(workshop.store().begin(claim, waiting, RunStore.QUEUE));
    if (known == null) {
      workshop.audit().append(new AuditEvent.RunQueued(waiting.requestId(), workshop.time().now(), request.intent(),
          prepared.lock(), executor.origin(waiting.header())));
    }
    backlog.put(waiting.requestId());
    return known == null ? new SubmitOutcome.Accepted(runs.ticket(waiting), false) : known;
  }

  /**
   * Refuses a new run whose lock is held under its own id: a client took that, and an executor could not tell it from what a dead
   * one has left to the run.
   */
  private SubmitOutcome.@Nullable Refused refusedByItself(RunStore.Claim claim, LeaseName lock) {
    Owner owner = new Owner(claim.requestId(), claim.actor());
    return workshop.locks().look(lock).occupancy() instanceof LeaseState.Held held
        && held.lease().isHeldBy(owner, FencingToken.NONE) && workshop.store().look(claim) instanceof RunStore.New
            ? new SubmitOutcome.Refused(lock, new Decision.Blocked(held.lease(), held.age()))
            : null;
  }

  /** Takes a run that was noted, and lets it begin. */
  public Taking take(RequestId requestId) {
    return runs.letIn(() -> takeNoted(requestId), Closing::new);
  }

  private Taking takeNoted(RequestId requestId) {
    Optional<RunStore.Unfinished> unfinished = runs.unfinished(requestId);
    Optional<Run> run = workshop.store().find(requestId).filter(it -> it.isQueued() && it.begun().isEmpty());
    if (unfinished.isEmpty() || run.isEmpty()) {
      // It has finished, or began and is its executor's until the end, or of it there is nothing but the note.
      return new Over();
    }
    String owner = unfinished.get().executor();
    boolean isHad = !owner.equals(RunStore.QUEUE) && executor.isAlive().test(owner);
    return isHad || runs.isAtWork(requestId)
        ? new Elsewhere()
        : workshop.store().take(requestId, owner, executor.id())
            .map(mine -> begin(mine, owner.equals(RunStore.QUEUE) ? Reentry.NEVER : Reentry.RESUMED_RUN))
            .orElseGet(Elsewhere::new);
  }

  private Taking begin(Run run, Reentry reentry) {
    RunRequest request = QueuedRequest.read(run, String.valueOf(run.header().order()));
    return switch (preparation.prepare(request, subject -> run.header())) {
      case Preparation.Ready(PreparedRun prepared) when isSame(prepared, run) -> {
        PendingRun attempt = runs.beginTaken(prepared, request.terms(), reentry);
        yield new Taken(attempt.live(), attempt::awaitEnd);
      }
      case Preparation.Ready(PreparedRun prepared) -> refuse(run, "it is of version " + prepared.intent().version()
          + " now, and was of " + run.header().subject().version() + " when the run was asked for");
      case Preparation.NotReady(SubmitOutcome.Rejected why) -> refuse(run, words(why));
    };
  }

  private static boolean isSame(PreparedRun prepared, Run run) {
    return prepared.intent().version().equals(run.header().subject().version());
  }

  private static String words(SubmitOutcome.Rejected why) {
    return switch (why) {
      case SubmitOutcome.UnknownIntent _ -> "there is no such intent any more";
      case SubmitOutcome.InvalidParams invalid ->
        "its parameters are others now: " + invalid.problems().getFirst().message();
      case SubmitOutcome.InvalidLockName(String problem) -> "the name of its lock is none now: " + problem;
      case SubmitOutcome.Refused _,SubmitOutcome.Foreign _,SubmitOutcome.Mismatch _,SubmitOutcome.Unavailable _,SubmitOutcome.TooMany _,SubmitOutcome.Closing _ ->
        throw new IllegalStateException("nobody was asked for more than to prepare it: " + why);
    };
  }

  private Taking refuse(Run run, String problem) {
    workshop.store().save(
        run.refused(new RunRefusal.IntentChanged(run.header().subject().intent(), problem), workshop.time().now()), true);
    return new Over();
  }

  /** Ends a run that no executor ever brought to its first step, however many had it. */
  public void giveUp(RequestId requestId) {
    runs.unfinished(requestId).filter(it -> it.executor().equals(RunStore.QUEUE)
        || !executor.isAlive().test(it.executor())).ifPresent(it -> runs.interrupt(requestId, it.executor()));
  }

  /** Notes again what stands in the queue: a crash between the record and the note leaves a run that nobody hears of. */
  public void mend() {
    List<RequestId> waiting = workshop.store().unfinished().stream()
        .filter(run -> run.executor().equals(RunStore.QUEUE)).map(RunStore.Unfinished::requestId).toList();
    if (!waiting.isEmpty() && backlog.size() < waiting.size()) {
      waiting.forEach(backlog::put);
    }
  }
}
