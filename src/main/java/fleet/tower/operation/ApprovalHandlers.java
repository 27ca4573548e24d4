package fleet.tower.operation;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.approval.Approval;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.Handler.Request;
import fleet.tower.platform.InvalidValue;
import fleet.tower.run.Run;
import fleet.tower.run.submit.PlanHash;
import fleet.tower.run.submit.RunApprovals;

/** Carries out the operations on approvals. */
public record ApprovalHandlers(Supplier<RunApprovals> approvals) {

  /** The handler of each operation. */
  public Map<Operation, Handler> all() {
    return Map.of(ApprovalOperations.LIST, this::list, ApprovalOperations.VIEW, this::view, ApprovalOperations.VOTE,
        this::vote);
  }

  private Outcome list(Request request) {
    Given given = request.given();
    return new ApprovalCallOutcome.Listed(approvals.get().list(
        given.find(ApprovalOperations.STATE).map(it -> Approval.State.valueOf(it.toUpperCase(Locale.ROOT)))
            .orElse(null),
        given.get(ApprovalOperations.LIMIT).intValue()), approvals.get().standing());
  }

  private static RequestId id(Request request) {
    return new RequestId(request.given().get(ApprovalOperations.RUN));
  }

  private Outcome view(Request request) {
    RequestId id = id(request);
    return approvals.get().find(id)
        .<Outcome>map(run -> new ApprovalCallOutcome.Viewed(run, approvals.get().standing(),
            approvals.get().lastSuccess(run).orElse(null)))
        .orElseGet(() -> new ApprovalCallOutcome.NotFound(id));
  }

  private Outcome vote(Request request) {
    RequestId id = id(request);
    Given given = request.given();
    Caller caller = request.caller();
    boolean approves = given.get(ApprovalOperations.DECISION).equals(ApprovalOperations.APPROVE);
    Optional<String> hash = given.find(ApprovalOperations.PLAN_HASH);
    Run run = approvals.get().find(id).orElse(null);
    if (run == null) {
      return new ApprovalCallOutcome.NotFound(id);
    }
    if (!caller.mayApprove(run.intent())) {
      throw notAllowed(caller, run, "its token has no right to approve that intent; tower token create --approve"
          + " gives it");
    }
    if (approves && hash.isEmpty()) {
      return new ApprovalCallOutcome.NoPlan(run);
    }
    return switch (approvals.get().vote(id, new RunApprovals.Ballot(caller.actor(), caller.principal(), approves,
        hash.map(PlanHash::parse).orElse(null), CommonArgs.reason(given).orElse(null), later(given)))) {
      case RunApprovals.Voted(Run after, boolean isRepeated) ->
        new ApprovalCallOutcome.Voted(after, approvals.get().standing(), isRepeated);
      case RunApprovals.Revoked(Run after) -> new ApprovalCallOutcome.Revoked(after);
      case RunApprovals.NotFound() -> new ApprovalCallOutcome.NotFound(id);
      case RunApprovals.NotVoted(Run now, Approval.VoteOutcome why) -> switch (why) {
        case Approval.OwnRequest() -> new ApprovalCallOutcome.OwnRequest(now, caller.principal());
        case Approval.NotAsked() -> throw notAllowed(caller, now, "it must be approved by "
            + (now.approval() == null ? "others" : now.approval().terms().voters()));
        case Approval.OtherPlan() -> new ApprovalCallOutcome.OtherPlan(now);
        case Approval.Closed(Approval.State state) -> new ApprovalCallOutcome.Closed(now, state);
        case Approval.Counted _,Approval.Repeated _ ->
          new ApprovalCallOutcome.Voted(now, approvals.get().standing(), true);
      };
    };
  }

  private static RunApprovals.@Nullable Later later(Given given) {
    Long within = given.orNull(ApprovalOperations.FOR);
    Long most = given.orNull(ApprovalOperations.MAX);
    if (within == null && most != null) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "max needs for_seconds: for how long later runs are approved");
    }
    return within == null
        ? null
        : new RunApprovals.Later(Duration.ofSeconds(within), most == null ? 1 : most.intValue());
  }

  private static Forbidden notAllowed(Caller caller, Run run, String why) {
    return new Forbidden(Forbidden.Reason.APPROVAL_NOT_ALLOWED, "'" + caller.principal() + "' may not approve runs of "
        + InvalidValue.shown(run.intent()) + ": " + why, null);
  }
}
