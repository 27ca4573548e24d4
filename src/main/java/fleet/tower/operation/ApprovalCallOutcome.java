package fleet.tower.operation;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.Approval;
import fleet.tower.approval.StandingApprovals.Standing;
import fleet.tower.lease.RequestId;
import fleet.tower.run.Run;
import fleet.tower.run.submit.LastSuccess;

/** The outcome of a call about approvals. */
public sealed interface ApprovalCallOutcome extends Outcome {

  /** The newest runs that need or needed an approval, and all approvals of later runs that still count. */
  record Listed(List<Run> runs, List<Standing> standing) implements ApprovalCallOutcome {}

  /** One of them in full; {@code before} is null if nothing has succeeded under its lock. */
  record Viewed(Run run, List<Standing> standing, @Nullable LastSuccess before) implements ApprovalCallOutcome {}

  /** A vote that counts, or counted before. */
  record Voted(Run run, List<Standing> standing, boolean isRepeated) implements ApprovalCallOutcome {}

  /** Approvals of later runs that were revoked. */
  record Revoked(Run run) implements ApprovalCallOutcome {}

  /** A vote on a run that the voter requested, or that was requested for the voter. */
  record OwnRequest(Run run, String principal) implements ApprovalCallOutcome {}

  /** A vote on another plan than that of the run. */
  record OtherPlan(Run run) implements ApprovalCallOutcome {}

  /** A vote after the decision, or too late. */
  record Closed(Run run, Approval.State state) implements ApprovalCallOutcome {}

  /** An approval that does not say of which plan. */
  record NoPlan(Run run) implements ApprovalCallOutcome {}

  /** No such run needs or needed an approval. */
  record NotFound(RequestId id) implements ApprovalCallOutcome {}
}
