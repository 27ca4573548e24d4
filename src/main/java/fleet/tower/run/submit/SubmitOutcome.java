package fleet.tower.run.submit;

import java.util.List;

import fleet.tower.access.Places;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.intent.Values;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.ErrorCode;
import fleet.tower.policy.Policy;
import fleet.tower.policy.Quota;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.execute.RunHandle;

/** The outcome of a {@link RunRequest}. */
public sealed interface SubmitOutcome {

  /** The run has begun, waits, or is queued; {@code replayed} if it belongs to an earlier, identical request. */
  record Accepted(RunHandle handle, boolean replayed) implements SubmitOutcome {}

  /** The request was refused; nothing was started or recorded. */
  sealed interface Refusal extends SubmitOutcome {}

  /** There is no such intent; {@code closest} are similar names. */
  record UnknownIntent(String name, List<String> closest) implements Refusal {}

  /** Its parameters do not match the intent. */
  record InvalidParams(List<Values.Problem> problems) implements Refusal {}

  /** The policy does not allow its parameters. */
  record NotAllowed(Policy.NotAllowed why) implements Refusal {}

  /** The lock template of the intent does not resolve to a valid name. */
  record InvalidLockName(String problem) implements Refusal {}

  /** A halt covers it, or the policy does not allow it at this time. */
  record Barred(Decision.Barred why) implements Refusal {}

  /** It would exceed a quota of the policy. */
  record OverQuota(Quota.Exceeded why) implements Refusal {}

  /** Its lock cannot be taken. */
  record OwnRefused(LeaseName lock, Decision.Refusal refusal) implements Refusal {}

  /** Another tool's lock blocks it. */
  record ForeignRefused(ForeignLock.Refusal refusal) implements Refusal {}

  /** An earlier request with the same id or key was a different one. */
  record Mismatch(RequestId requestId) implements Refusal {}

  /** The run would differ from the plan that the request names. */
  record PlanChanged(RunRefusal.PlanChanged change) implements Refusal {}

  /** The store of locks or runs failed, or has no space for the run. */
  record Unavailable(ErrorCode code, String problem) implements Refusal {}

  /** This executor has no place for another run of the caller. */
  record TooMany(Places.NoPlace why) implements Refusal {}

  /** This executor is closing. */
  record Closing() implements Refusal {}
}
