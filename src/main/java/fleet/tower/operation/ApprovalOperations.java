package fleet.tower.operation;

import static fleet.tower.access.Role.VIEWER;
import static fleet.tower.operation.Arg.Via.COMMAND;
import static fleet.tower.operation.Arg.Via.HTTP;
import static fleet.tower.operation.CommonArgs.REASON;
import static fleet.tower.operation.Operation.Method.GET;
import static fleet.tower.operation.Operation.Method.POST;

import java.util.List;
import java.util.stream.Stream;

import fleet.tower.approval.Approval;
import fleet.tower.approval.ApprovalTerms;
import fleet.tower.lease.RequestId;

/** The operations on runs that must be approved. No tool of agents votes. */
public final class ApprovalOperations {
  public static final String APPROVE = "approve";
  public static final String REJECT = "reject";

  public static final Arg<String> RUN = Arg.text("request_id", "ID", "the id of the run").operand();
  public static final Arg<String> STATE = Arg.word("state", "S",
      Stream.of(Approval.State.values()).map(Approval.State::toString).toList(), "only those in this state");
  public static final Arg<Long> LIMIT = Arg.whole("limit", 1, 1000, "N", "the maximum number of runs").or(100L);
  public static final Arg<String> DECISION = Arg.word("decision", List.of(APPROVE, REJECT), "what the voter decides")
      .must().only(HTTP);
  public static final Arg<String> PLAN_HASH = Arg.text("plan_hash", "H",
      "the hash of the plan that the voter was shown (at least 12 digits)");
  public static final Arg<Long> FOR = Arg.seconds("for_seconds", 1, ApprovalTerms.LONGEST.toSeconds(),
      "approve later runs with the same plan, too, for so long");
  public static final Arg<Long> MAX = Arg.whole("max", 1, 100, "N", "how many later runs (default: 1)");

  public static final Operation LIST = Operation.of("listApprovals", VIEWER, GET, "/approvals",
      "list the runs that need an approval, or show one with its plan", STATE, LIMIT).command("approvals");
  public static final Operation VIEW = Operation.of("getApproval", VIEWER, GET, "/approvals/{request_id}",
      "show a run that needs an approval: its plan in full, what differs from the last success under the same lock, and"
          + " the votes",
      RUN).command("approvals");
  public static final Operation VOTE = Operation.of("vote", VIEWER, POST, "/approvals/{request_id}/votes",
      "approve or reject a run; needs the right to approve, whatever the role", RUN, DECISION,
      PLAN_HASH, REASON.only(HTTP, COMMAND), FOR, MAX);

  /** All of them. */
  public static final List<Operation> ALL = List.of(LIST, VIEW, VOTE);

  private ApprovalOperations() {}

  /** The argument that names a run. */
  public static Given of(RequestId run) {
    return Given.NOTHING.with(RUN, run.value());
  }
}
