package fleet.tower.run.submit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Labels;
import fleet.tower.intent.Values;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest.Reentry;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.platform.StorageException;
import fleet.tower.policy.Quota;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.ActiveRun;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.PreparedRun;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.execute.RunServices;

/**
 * Runs that wait in a queue until any executor with a free worker takes them.
 *
 * <ol>
 * <li>The request is checked like every other one. A request with a secret is rejected, because its record would
 * contain it.
 * <li>The run is recorded durably as belonging to the queue, and then added to the backlog. If a crash prevents that,
 * {@link #mend} adds it later.
 * <li>An entry is addressed to the executors of hosts that have the intent as it was checked, and the labels that it
 * requires. If no live host has had that intent for a while, the run is refused.
 * <li>An executor that receives the entry takes the record, from the queue or from an executor that died. The record
 * decides, not the entry, so two executors with the same entry do not both get the run.
 * <li>A run that a halt covers stays in the queue until the halt is lifted.
 * <li>Once a step has begun, no other executor takes the run; if its executor dies, the run is interrupted.
 * <li>An executor that closes while the run waits for its lock returns the run to the queue.
 * </ol>
 */
public final class QueuedRuns {
  private final Backlog backlog;
  private final Catalogue catalogue;
  private final Preparation preparation;
  private final Admission admission;
  private final RunApprovals approvals;
  private final AbandonedRuns abandoned;
  private final RunServices services;
  private final ExecutorIdentity executor;
  private final EligibleHosts hosts;

  QueuedRuns(Backlog backlog, Catalogue catalogue, Preparation preparation, Admission admission,
      RunApprovals approvals, AbandonedRuns abandoned, RunServices services, ExecutorIdentity executor,
      EligibleHosts hosts) {
    this.backlog = backlog;
    this.catalogue = catalogue;
    this.preparation = preparation;
    this.admission = admission;
    this.approvals = approvals;
    this.abandoned = abandoned;
    this.services = services;
    this.executor = executor;
    this.hosts = hosts;
  }

  /** The queue of run ids. Each entry is delivered to one executor at a time. */
  public interface Backlog {
    /**
     * Adds a run; if it is there already, its entry stays as it is.
     *
     * @param declaration what an executor must have to receive it; null for any executor
     */
    void put(RequestId requestId, Run.@Nullable Declaration declaration);

    /** The digests of intents to which entries are addressed that no executor has. */
    default Set<String> addressed() {
      return Set.of();
    }

    /** Removes the entries that are addressed to a digest, each after {@code end} has returned true for it. */
    default void drain(String digest, Predicate<RequestId> end) {}

    /** The number of entries, including those that an executor has. */
    long size();
  }

  /** Requests a run by any executor. Returns when the run is recorded and added to the backlog. */
  public SubmitOutcome enqueue(RunRequest request) {
    RequestId id = preparation.idOf(request);
    return admission.unlessClosing(() -> admit(request.withId(id), id), SubmitOutcome.Closing::new);
  }

  private SubmitOutcome admit(RunRequest request, RequestId id) {
    Preparation.Outcome outcome = preparation.prepare(request,
        subject -> Run.Header.of(id, subject, request.origin(), services.time().now())
            .queuedAs(QueuedRequest.write(request)));
    return switch (outcome) {
      case Preparation.NotReady(SubmitOutcome.Refusal why) -> why;
      case Preparation.Ready(PreparedRun prepared) -> {
        List<Values.Problem> secrets = secrets(request, prepared);
        if (!secrets.isEmpty()) {
          yield new SubmitOutcome.InvalidParams(secrets);
        }
        try {
          yield record(request, prepared);
        } catch (StorageException e) {
          yield new SubmitOutcome.Unavailable(e.code(), e.publicMessage());
        }
      }
    };
  }

  private List<Values.Problem> secrets(RunRequest request, PreparedRun prepared) {
    List<Values.Problem> problems = new ArrayList<>();
    List<String> missing = hosts.missingHere(prepared.intent().runsOn());
    String advice = missing.isEmpty()
        ? "run it without the queue"
        : "send it to a host with the " + Labels.describe(missing);
    prepared.intent().params().stream().filter(param -> param.secret() && request.params().containsKey(param.name()))
        .forEach(param -> problems.add(new Values.Problem("/params/" + param.name(),
            "it is secret, and a queued run would keep it in the database until it is taken; " + advice)));
    return problems;
  }

  private SubmitOutcome record(RunRequest request, PreparedRun prepared) {
    RunStore.RequestKey claim = Admission.claim(request, prepared);
    SubmitOutcome.Refusal barred = services.store().look(claim) instanceof RunStore.Same
        ? null
        : admission.barred(request, prepared);
    if (barred != null) {
      return barred;
    }
    PlanHash named = request.plan();
    PlanDocument planned = named == null ? null : preparation.document(request, prepared);
    if (named != null && planned != null && !named.isOf(planned)
        && !(services.store().look(claim) instanceof RunStore.Same)) {
      return preparation.notPlanned(named, planned);
    }
    SubmitOutcome unapproved = services.store().look(claim) instanceof RunStore.Same
        ? null
        : approvals.request(claim, request, prepared);
    if (unapproved != null) {
      return unapproved;
    }
    Run waiting = queued(planned == null ? prepared : prepared.planned(planned.text()));
    SubmitOutcome known = admission.known(services.begin(claim, waiting, RunStore.QUEUE, executor));
    if (known == null) {
      services.listener().begun(waiting);
      services.audit().append(new AuditEvent.RunQueued(waiting.requestId(), services.time().now(), request.intent(),
          prepared.lock(), executor.origin(waiting.header())));
    }
    put(waiting);
    return known == null ? new SubmitOutcome.Accepted(admission.handle(waiting), false) : known;
  }

  private Run queued(PreparedRun prepared) {
    Run waiting = prepared.newRun(true);
    Run.Declaration declaration = waiting.header().declaration();
    return declaration == null
        ? waiting
        : hosts.absence(waiting.intent(), declaration).map(waiting::withWarning).orElse(waiting);
  }

  private void put(Run run) {
    backlog.put(run.requestId(), run.header().declaration());
  }

  /** The digests of the intents that this host may execute, without those that a halt covers whoever requests them. */
  public Set<String> digestsHere() {
    HaltSource.InForce halts = services.halts().inForce();
    return declared().list().stream().filter(it -> hosts.missingHere(it.runsOn()).isEmpty())
        .filter(it -> halts.refusal(new Halt.Subject(Set.of(), it.name(), null)) == null).map(Intent::digest)
        .collect(Collectors.toSet());
  }

  private Catalogue declared() {
    return hosts.seenByQueue(catalogue);
  }

  /** Takes a run of the backlog, and begins it. */
  public TakeOutcome take(RequestId requestId) {
    return take(requestId, this::begin);
  }

  /** What to do with a run that this executor has taken, and that can begin. */
  private interface Next {
    TakeOutcome of(PreparedRun prepared, RunRequest request, Reentry reentry);
  }

  private TakeOutcome take(RequestId requestId, Next next) {
    return admission.unlessClosing(() -> takeEntry(requestId, next), TakeOutcome.Closing::new);
  }

  private TakeOutcome takeEntry(RequestId requestId, Next next) {
    Optional<RunStore.Unfinished> unfinished = abandoned.unfinished(requestId);
    Optional<Run> run = services.store().find(requestId).filter(it -> it.isQueued() && it.isUnstarted());
    if (unfinished.isEmpty() || run.isEmpty()) {
      // The run has finished, or a step of it may have begun and it stays with its executor, or it has no record.
      return new TakeOutcome.Done();
    }
    String owner = unfinished.get().executor();
    boolean isTaken = !owner.equals(RunStore.QUEUE) && executor.isAlive().test(owner);
    if (isTaken || admission.isActive(requestId)) {
      return new TakeOutcome.Elsewhere();
    }
    if (!mayRunHere(run.get())) {
      return new TakeOutcome.NotHere();
    }
    if (approvals.isKeptElsewhere(run.get())) {
      return new TakeOutcome.NotHere();
    }
    RunRefusal refusal = approvals.refusal(run.get());
    if (refusal != null) {
      return refuseApproved(run.get(), owner, refusal);
    }
    if (services.barred(run.get().header()) != null) {
      return new TakeOutcome.Barred();
    }
    List<Quota> quotas = run.get().approval() == null ? List.of() : services.rules().quotas(run.get().header().doing());
    try {
      return services.store().take(requestId, owner, executor.id(), executor.hostId(), quotas)
          .map(mine -> prepare(mine, owner.equals(RunStore.QUEUE) ? Reentry.NEVER : Reentry.RESUMED_RUN, next))
          .orElseGet(() -> quotas.isEmpty() ? new TakeOutcome.Elsewhere() : new TakeOutcome.Barred());
    } catch (StorageException unknown) {
      services.later(() -> giveBack(requestId));
      throw unknown;
    }
  }

  /** Ends a run that was approved and can no longer begin. */
  private TakeOutcome refuseApproved(Run run, String owner, RunRefusal why) {
    services.store().take(run.requestId(), owner, executor.id())
        .ifPresent(mine -> services.save(approvals.ended(mine, why), true));
    return new TakeOutcome.Done();
  }

  /** Returns a run to the queue that this executor has only in its record, and so would never start. */
  private void giveBack(RequestId requestId) {
    if (!admission.isActive(requestId)) {
      services.store().take(requestId, executor.id(), RunStore.QUEUE);
    }
  }

  /** Whether this host has the labels and the intent of a run. One that no host has is taken to be refused. */
  private boolean mayRunHere(Run run) {
    Run.Declaration declaration = run.header().declaration();
    return declaration == null
        || (hasHere(run.intent(), declaration.digest())
            ? hosts.missingHere(declaration.runsOn()).isEmpty()
            : hosts.isAbandoned(declaration.digest()));
  }

  private boolean hasHere(String intent, String digest) {
    return catalogue.find(intent).filter(it -> it.digest().equals(digest)).isPresent();
  }

  private TakeOutcome prepare(Run run, Reentry reentry, Next next) {
    RunRequest request = approvals.limited(approvals.withSecrets(
        QueuedRequest.read(run, String.valueOf(run.header().order())), run.requestId()), run.approval());
    return switch (preparation.prepare(request, subject -> run.header())) {
      case Preparation.Ready(PreparedRun prepared) when isSame(prepared, run) -> {
        List<String> missing = hosts.missingHere(prepared.intent().runsOn());
        yield missing.isEmpty()
            ? next.of(prepared.approved(run.approval(), null), request, reentry)
            : refuse(run, changed(run, request, "it requires the " + Labels.describe(missing) + " now"));
      }
      case Preparation.Ready(PreparedRun prepared) -> refuse(run, changed(run, request, difference(prepared, run)));
      case Preparation.NotReady(SubmitOutcome.Refusal why) -> refuse(run, changed(run, request, problem(why)));
    };
  }

  /** @param problem what is wrong with a run whose request names no plan */
  private RunRefusal changed(Run run, RunRequest request, String problem) {
    PlanDocument planned = PlanDocument.requiredOf(run.header());
    RunRefusal change = planned == null ? null : preparation.change(request, planned);
    return change == null ? new RunRefusal.IntentChanged(run.intent(), problem) : change;
  }

  private TakeOutcome begin(PreparedRun prepared, RunRequest request, Reentry reentry) {
    ActiveRun active = admission.beginQueued(prepared, request, reentry);
    services.listener().begun(active.handle().run());
    return new TakeOutcome.Taken(active.handle(), active::awaitEnd);
  }

  private static boolean isSame(PreparedRun prepared, Run run) {
    Run.Declaration declaration = run.header().declaration();
    return declaration == null
        ? prepared.intent().version().equals(run.header().subject().version())
        : prepared.intent().digest().equals(declaration.digest());
  }

  private static String difference(PreparedRun prepared, Run run) {
    String version = prepared.intent().version();
    String requested = run.header().subject().version();
    return version.equals(requested)
        ? "its file, or a file that it executes, has changed since the run was requested"
        : "its version is " + version + " now, and was " + requested + " when the run was requested";
  }

  private static String problem(SubmitOutcome.Refusal why) {
    return switch (why) {
      case SubmitOutcome.UnknownIntent _ -> "it no longer exists";
      case SubmitOutcome.InvalidParams invalid ->
        "it no longer accepts the parameters: " + invalid.problems().getFirst().message();
      case SubmitOutcome.InvalidLockName(String problem) -> "the name of its lock is no longer valid: " + problem;
      case SubmitOutcome.Barred _,SubmitOutcome.NotAllowed _,SubmitOutcome.OverQuota _,SubmitOutcome.OwnRefused _,SubmitOutcome.ForeignRefused _,SubmitOutcome.Mismatch _,SubmitOutcome.PlanChanged _,SubmitOutcome.Unavailable _,SubmitOutcome.TooMany _,SubmitOutcome.Closing _ ->
        throw new IllegalStateException("preparing a request cannot be refused as " + why);
    };
  }

  /** Refuses a run, unless its intent changed on this host a moment ago and another host still has it. */
  private TakeOutcome refuse(Run run, RunRefusal why) {
    Run.Declaration declaration = run.header().declaration();
    if (declaration != null && !hosts.isAbandoned(declaration.digest())) {
      return returned(run.requestId());
    }
    services.listener().begun(run);
    services.save(run.refused(why, services.time().now()), true);
    return new TakeOutcome.Done();
  }

  private TakeOutcome returned(RequestId requestId) {
    services.store().take(requestId, executor.id(), RunStore.QUEUE);
    return new TakeOutcome.NotHere();
  }

  /** Ends a run that no executor brought to its first step, however often it was tried. */
  public void giveUp(RequestId requestId) {
    abandoned.unfinished(requestId).filter(it -> it.executor().equals(RunStore.QUEUE)
        || !executor.isAlive().test(it.executor())).ifPresent(it -> abandoned.interrupt(requestId, it.executor()));
  }

  /**
   * Adds queued runs to the backlog again: a crash between the record and the entry leaves a run that no executor would
   * find.
   */
  public void mend() {
    List<RequestId> waiting = services.store().unfinished().stream()
        .filter(run -> run.executor().equals(RunStore.QUEUE)).map(RunStore.Unfinished::requestId).toList();
    if (!waiting.isEmpty() && backlog.size() < waiting.size()) {
      waiting.forEach(this::restore);
    }
  }

  /** Adds a run that waits in the queue to the backlog again, with the address in its record. */
  public void restore(RequestId requestId) {
    if (abandoned.unfinished(requestId).filter(it -> it.executor().equals(RunStore.QUEUE)).isPresent()) {
      services.store().find(requestId).filter(Run::isQueued).ifPresent(this::put);
    }
  }

  /** Refuses the runs that were not approved in time. */
  void expireApprovals() {
    approvals.expire();
  }

  /** Refuses the runs whose intent no live host has any more, and removes their entries. */
  public void refuseAbandoned() {
    for (String digest : backlog.addressed()) {
      if (declared().list().stream().noneMatch(it -> it.digest().equals(digest)) && hosts.isAbandoned(digest)) {
        backlog.drain(digest, this::refuseAbandoned);
      }
    }
  }

  /**
   * Returns false if a live executor has the run, or if it can begin: callers may still see the intent that the queue
   * no longer sees.
   */
  private boolean refuseAbandoned(RequestId requestId) {
    return take(requestId, (_, _, _) -> returned(requestId)) instanceof TakeOutcome.Done;
  }

  /** The outcome of taking a run from the queue. */
  public sealed interface TakeOutcome {

    /**
     * The run belongs to this executor, and has begun.
     *
     * @param end waits until this executor no longer has the run; false if the run has not ended, but went back to the
     *     queue
     */
    record Taken(RunHandle handle, BooleanSupplier end) implements TakeOutcome {}

    /** No executor has anything left to do for the run. */
    record Done() implements TakeOutcome {}

    /** Another executor has the run, and none of its steps has begun. */
    record Elsewhere() implements TakeOutcome {}

    /** This host does not have the labels or the intent of the run, and another one may. */
    record NotHere() implements TakeOutcome {}

    /** A halt covers the run, or the policy does not allow it at this time. */
    record Barred() implements TakeOutcome {}

    /** This executor is closing. */
    record Closing() implements TakeOutcome {}
  }
}
