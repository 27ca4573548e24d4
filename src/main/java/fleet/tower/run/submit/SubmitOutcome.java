package fleet.tower.run.submit;

import java.util.List;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.intent.Values;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.run.execute.RunHandle;

/** The answer to a {@link RunRequest}. */
public sealed interface SubmitOutcome {

  /** It is under way; {@code replayed} when the same request came before and this is its run. */
  record Accepted(RunHandle ticket, boolean replayed) implements SubmitOutcome {}

  /** It was let at nothing. */
  sealed interface Rejected extends SubmitOutcome {}

  /** There is no such intent; {@code closest} are names like it. */
  record UnknownIntent(String name, List<String> closest) implements Rejected {}

  /** Its parameters are not what the intent asks for. */
  record InvalidParams(List<Values.Problem> problems) implements Rejected {}

  /** The name that its lock template gives is none. */
  record InvalidLockName(String problem) implements Rejected {}

  /** Its lock is not to be had. */
  record Refused(LeaseName lock, Decision.Refusal refusal) implements Rejected {}

  /** Another tool's lock is in its way. */
  record Foreign(ForeignLock.Refusal refusal) implements Rejected {}

  /** The same id or key came before with something else to do. */
  record Mismatch(RequestId requestId) implements Rejected {}

  /** The place where locks or runs are kept does not work. */
  record Unavailable(String problem) implements Rejected {}

  /** This executor has as many runs as it takes, {@code limit}. */
  record TooMany(int limit) implements Rejected {}

  /** This executor is going down. */
  record Closing() implements Rejected {}
}
