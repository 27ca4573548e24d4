package fleet.tower.run.submit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.Approval;
import fleet.tower.approval.Approval.VoteOutcome;
import fleet.tower.approval.ApprovalTerms;
import fleet.tower.approval.StandingApprovals.Standing;
import fleet.tower.approval.Vote;
import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.secret.HomeKey;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.ActiveRun.LastCheck;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.PreparedRun;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.execute.RunServices;

/**
 * Runs that must be approved before they begin.
 *
 * <ol>
 * <li>Such a run is recorded with its plan and belongs to {@link RunStore#APPROVAL}. It has no lock, no executor and no
 * place in a queue.
 * <li>A vote is a change of that record, so of two last votes one makes the transition: with it the run belongs to
 * {@link RunStore#QUEUE}, and begins as every run that waits there.
 * <li>Its plan and its approval are read again under its lock, before its first step.
 * <li>The values of secrets stay in the memory of the process that got the request; only that process begins the run.
 * </ol>
 */
public final class RunApprovals {
  private static final int TOGETHER = 100;

  private final Preparation preparation;
  private final RunServices services;
  private final ExecutorIdentity executor;
  private final Function<Run, RunHandle> handles;
  private final Consumer<RequestId> queue;
  private final VoteSeals seals;
  private final StandingVotes standing;
  private final Map<RequestId, Map<String, Values.Given>> secrets = new ConcurrentHashMap<>();

  /** @param queue adds a run to the queue that belongs to it */
  RunApprovals(Preparation preparation, RunServices services, ExecutorIdentity executor, HomeKey key,
      Function<Run, RunHandle> handles, Consumer<RequestId> queue) {
    this.preparation = preparation;
    this.services = services;
    this.executor = executor;
    this.handles = handles;
    this.queue = queue;
    this.seals = new VoteSeals(key);
    this.standing = new StandingVotes(services.store().standingApprovals(), seals);
  }

  /**
   * What a person says about a run.
   *
   * @param by the name under which it is said, such as that of a token
   * @param principal who says it
   * @param shown the hash of the plan that the person was shown; null to reject whatever the run would do
   * @param standing for which later runs it is said; null for none
   */
  public record Ballot(Actor by, String principal, boolean approves, @Nullable PlanHash shown,
      @Nullable String reason, @Nullable Later standing) {}

  /** The later runs with the same plan that need no new vote. */
  public record Later(Duration within, int most) {}

  /** What became of a vote. */
  public sealed interface Outcome {}

  /** It was counted, or the person had said so before. */
  public record Voted(Run run, boolean isRepeated) implements Outcome {}

  /** It was not counted. */
  public record NotVoted(Run run, VoteOutcome why) implements Outcome {}

  /** The approvals for later runs were revoked. */
  public record Revoked(Run run) implements Outcome {}

  /** No such run needs or needed an approval. */
  public record NotFound() implements Outcome {}

  /** Records a request that must be approved first; null if it needs no approval. */
  @Nullable
  SubmitOutcome request(RunStore.RequestKey claim, RunRequest request, PreparedRun prepared) {
    services.rules().observeApproval(claim.requestId(), prepared.header().doing(), prepared.intent(),
        prepared.values().texts(), executor.origin(prepared.header()));
    ApprovalTerms terms = preparation.approval(prepared).orElse(null);
    return terms == null ? null : record(claim, request, prepared, terms);
  }

  private SubmitOutcome record(RunStore.RequestKey claim, RunRequest request, PreparedRun prepared,
      ApprovalTerms terms) {
    PlanDocument plan = preparation.document(request, prepared);
    Instant now = services.time().now();
    Approval approval = standing.used(claim.requestId(),
        Approval.requested(terms, plan.hash(), request.requesters(), now), now);
    Map<String, Values.Given> kept = new TreeMap<>(request.params());
    kept.keySet().removeIf(name -> prepared.intent().param(name).filter(param -> param.secret()).isEmpty());
    Map<String, Values.Given> plain = new TreeMap<>(request.params());
    plain.keySet().removeAll(kept.keySet());
    String order = QueuedRequest.write(request.with(plain),
        new QueuedRequest.Kept(List.copyOf(kept.keySet()), executor.id()));
    RequestId id = claim.requestId();
    boolean isOpen = approval.state() == Approval.State.OPEN;
    Run waiting = prepared.planned(plan.text()).approved(approval, order).newRun(true);
    Run run = isOpen ? waiting.withStatus(RunStatus.AWAITING_APPROVAL) : waiting;
    RunStore.Prior prior = services.begin(claim, run, isOpen ? RunStore.APPROVAL : RunStore.QUEUE, executor);
    return switch (prior) {
      case RunStore.Same(Run earlier) -> {
        services.listener().replayed(earlier);
        yield new SubmitOutcome.Accepted(handles.apply(earlier), true);
      }
      case RunStore.OverQuota(var why) -> new SubmitOutcome.OverQuota(why);
      case RunStore.Different(RequestId other) -> new SubmitOutcome.Mismatch(other);
      case RunStore.New _,RunStore.Unstarted _ -> {
        if (!kept.isEmpty()) {
          secrets.put(id, kept);
        }
        services.listener().begun(run);
        services.audit().append(new AuditEvent.RunApprovalRequested(id, now, run.intent(), run.header().lockName(),
            approval.planHash(), approval.requesters().stream().sorted().toList(), terms.need(), approval.expiresAt(),
            executor.origin(run.header())));
        approval.votes().forEach(vote -> services.audit().append(new AuditEvent.RunApproved(id, now,
            run.header().lockName(), ballot(run, approval, vote), executor.origin(run.header()))));
        if (!isOpen) {
          queue.accept(id);
        }
        yield new SubmitOutcome.Accepted(handles.apply(run), false);
      }
    };
  }

  private static AuditEvent.Ballot ballot(Run run, Approval approval, Vote vote) {
    RequestId standing = vote.standing();
    return new AuditEvent.Ballot(run.intent(), approval.planHash(), vote.principal(), approval.have(),
        approval.terms().need(), vote.reason(), standing == null ? null : standing.value());
  }

  /** The check of a run before its first step: that its plan is the same, and its approval still holds. */
  LastCheck check(PreparedRun prepared, PlanDocument planned, LastCheck plan) {
    Approval approval = prepared.approval();
    return approval == null
        ? plan
        : seen -> {
          if (!planned.hash().equals(approval.planHash())) {
            return new RunRefusal.PlanChanged(planned.hash(), List.of());
          }
          if (!seals.genuine(prepared.header().requestId(), approval).equals(approval)) {
            return new RunRefusal.PlanChanged(planned.hash(), List.of("votes"));
          }
          RunRefusal change = plan.refusal(seen);
          return change != null || approval.allows(planned.hash(), services.time().now()) ? change : expired(approval);
        };
  }

  static RunRefusal expired(Approval approval) {
    return new RunRefusal.ApprovalExpired(approval.have(), approval.terms().need());
  }

  /** The request of a run from the queue with the secrets that this process keeps. */
  RunRequest withSecrets(RunRequest request, RequestId id) {
    Map<String, Values.Given> kept = secrets.get(id);
    if (kept == null) {
      return request;
    }
    Map<String, Values.Given> all = new TreeMap<>(request.params());
    all.putAll(kept);
    return request.with(all);
  }

  /** Whether this process has secrets of a run in its memory. */
  boolean keepsSecretsOf(RequestId id) {
    return secrets.containsKey(id);
  }

  /** Forgets the secrets of a run that has ended. */
  void forget(RequestId id) {
    secrets.remove(id);
  }

  /** Whether a run has secrets that another process keeps. */
  boolean isKeptElsewhere(Run run) {
    return kept(run).filter(it -> !it.keeper().equals(executor.id()) && executor.isAlive().test(it.keeper()))
        .isPresent();
  }

  /** Why a run that is taken from the queue must not begin; null if it may. */
  @Nullable
  RunRefusal refusal(Run run) {
    Approval approval = run.approval();
    if (approval == null) {
      return null;
    }
    QueuedRequest.Kept kept = kept(run).orElse(null);
    return approval.isOver(services.time().now())
        ? expired(approval)
        : kept == null || secrets.containsKey(run.requestId()) ? null : new RunRefusal.SecretsLost(kept.params());
  }

  /** An approved run after it could no longer begin. */
  Run ended(Run run, RunRefusal why) {
    Instant now = services.time().now();
    forget(run.requestId());
    if (!(why instanceof RunRefusal.ApprovalExpired)) {
      return run.refused(why, now);
    }
    auditExpiry(run, now);
    return run.withApproval(approvalOf(run).expired()).refused(why, now);
  }

  private void auditExpiry(Run run, Instant now) {
    Approval approval = approvalOf(run);
    services.audit().append(new AuditEvent.RunApprovalExpired(run.requestId(), now, run.intent(),
        run.header().lockName(), approval.planHash(), approval.have(), approval.terms().need()));
  }

  private static Optional<QueuedRequest.Kept> kept(Run run) {
    String order = run.header().order();
    return order == null || run.approval() == null ? Optional.empty() : QueuedRequest.kept(order);
  }

  /** How long an approved run may wait for its lock. */
  RunRequest limited(RunRequest request, @Nullable Approval approval) {
    return approval == null
        ? request
        : request.waitingAtMost(Duration.between(services.time().now(), approval.expiresAt()));
  }

  /** Counts what a person says about a run. */
  public Outcome vote(RequestId id, Ballot ballot) {
    expire();
    Instant now = services.time().now();
    Vote vote = new Vote(ballot.principal(), ballot.by().name(), ballot.by().door(), ballot.approves(),
        ballot.reason(), now, null);
    AtomicReference<@Nullable VoteOutcome> came = new AtomicReference<>();
    Optional<Run> changed = services.store().changeAwaiting(id, run -> {
      VoteOutcome outcome = outcome(run, ballot, vote);
      came.setPlain(outcome);
      return outcome instanceof Approval.Counted(Approval next) ? decided(run, next, vote) : run;
    });
    Run run = changed.or(() -> services.store().find(id).filter(it -> it.approval() != null)).orElse(null);
    if (run == null) {
      return new NotFound();
    }
    VoteOutcome outcome = changed.isPresent() ? came.getPlain() : outcome(run, ballot, vote);
    return switch (outcome == null ? new Approval.Repeated() : outcome) {
      case Approval.Counted(Approval next) -> {
        counted(run, next, vote, ballot);
        yield new Voted(run, false);
      }
      case Approval.Repeated() when ballot.standing() != null && run.isRejected() ->
        new NotVoted(run, new Approval.Closed(Approval.State.REJECTED));
      case Approval.Repeated() -> {
        standing.keep(run, ballot, now);
        yield new Voted(run, true);
      }
      case Approval.Closed closed -> !ballot.approves() && standing.revoke(id)
          ? revoked(run, vote, ballot)
          : new NotVoted(run, closed);
      case Approval.OwnRequest own -> new NotVoted(run, own);
      case Approval.NotAsked notAsked -> new NotVoted(run, notAsked);
      case Approval.OtherPlan other -> new NotVoted(run, other);
    };
  }

  /** Counts a vote with those that were given for this run; others never count. */
  private VoteOutcome outcome(Run run, Ballot ballot, Vote vote) {
    Approval approval = seals.genuine(run.requestId(), approvalOf(run));
    PlanHash shown = ballot.shown();
    return approval.with(seals.sealed(run.requestId(), approval, vote),
        shown == null ? !ballot.approves() : shown.begins(approval.planHash()));
  }

  static Approval approvalOf(Run run) {
    Approval approval = run.approval();
    if (approval == null) {
      throw new IllegalStateException("run " + run.requestId() + " has no approval");
    }
    return approval;
  }

  private static Run decided(Run run, Approval next, Vote last) {
    return switch (next.state()) {
      case OPEN, EXPIRED -> run.withApproval(next);
      case APPROVED -> run.withApproval(next).withStatus(RunStatus.WAITING);
      case REJECTED -> run.withApproval(next)
          .refused(new RunRefusal.ApprovalRejected(last.principal(), last.reason()), last.at());
    };
  }

  private void counted(Run run, Approval next, Vote vote, Ballot ballot) {
    AuditEvent.Ballot audited = ballot(run, next, vote);
    services.audit().append(ballot.approves()
        ? new AuditEvent.RunApproved(run.requestId(), vote.at(), run.header().lockName(), audited,
            Origin.of(ballot.by()))
        : new AuditEvent.RunRejected(run.requestId(), vote.at(), run.header().lockName(), audited,
            Origin.of(ballot.by())));
    standing.keep(run, ballot, vote.at());
    if (next.state() == Approval.State.APPROVED) {
      queue.accept(run.requestId());
    } else if (next.state() == Approval.State.REJECTED) {
      ended(run);
    }
  }

  private void ended(Run run) {
    forget(run.requestId());
    services.listener().ended(run);
  }

  private Outcome revoked(Run run, Vote vote, Ballot ballot) {
    services.audit().append(new AuditEvent.RunRejected(run.requestId(), vote.at(), run.header().lockName(),
        ballot(run, approvalOf(run), vote), Origin.of(ballot.by())));
    return new Revoked(run);
  }

  /** Cancels a run that waits for its approval; false if it does not wait for that any more. */
  boolean cancel(RequestId id) {
    Instant now = services.time().now();
    Optional<Run> ended = services.store().changeAwaiting(id,
        run -> run.withApproval(approvalOf(run).expired()).finished(RunStatus.CANCELLED, now));
    ended.ifPresent(this::ended);
    return ended.isPresent();
  }

  /** Refuses the runs that were not approved in time, and forgets the secrets of those that have ended. */
  public void expire() {
    Instant now = services.time().now();
    // Another process may have ended them.
    secrets.keySet().removeIf(id -> services.store().find(id).filter(run -> run.status().isFinished()).isPresent());
    for (RequestId id : services.store().unapproved(now, TOGETHER)) {
      services.store().changeAwaiting(id, run -> approvalOf(run).isOver(now)
          ? run.withApproval(approvalOf(run).expired()).refused(expired(approvalOf(run)), now)
          : run).filter(run -> run.status() == RunStatus.REFUSED).ifPresent(run -> {
            auditExpiry(run, now);
            ended(run);
          });
    }
  }

  /** The last run that succeeded under the lock of a run; empty if there is none. */
  public Optional<LastSuccess> lastSuccess(Run run) {
    return LastSuccess.before(run, services.store());
  }

  /** What a run would do, as JSON; empty if that was neither named nor approved. */
  public static Optional<String> plan(Run run) {
    return Optional.ofNullable(PlanDocument.requiredOf(run.header())).map(PlanDocument::text);
  }

  /** Why a run that waits, or waited, was requested. */
  public static Optional<String> reason(Run run) {
    return Optional.ofNullable(run.header().order()).flatMap(order -> JsonReader.readOwn(order).text("reason"));
  }

  /** The newest runs that need or needed an approval. */
  public List<Run> list(Approval.@Nullable State state, int limit) {
    expire();
    return services.store().approvals(state, limit);
  }

  /** The approvals of later runs that are good for one more. */
  public List<Standing> standing() {
    return standing.inForce(services.time().now());
  }

  /** The number of runs that wait for their approval. */
  public long open() {
    return services.store().openApprovals();
  }

  /** A run that needs or needed an approval. */
  public Optional<Run> find(RequestId id) {
    expire();
    return services.store().find(id).filter(run -> run.approval() != null);
  }
}
