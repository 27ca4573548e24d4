package fleet.tower.service.call.lock;

import java.time.Duration;
import java.time.Instant;

import fleet.tower.answer.Answer;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.LockJson;
import fleet.tower.answer.LockText;
import fleet.tower.answer.NextActions;
import fleet.tower.answer.Problem;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.RefusalKind;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonWriter;

/** Translates outcomes of lock use cases to answers, with one switch per outcome type. */
public final class LockProblems {
  private static final String RETRY_AFTER = "Retry-After";

  /** Spaces out retries when too many wait; the actual time is unknown. */
  public static final String SECONDS_UNTIL_ROOM = "5";

  private LockProblems() {}

  /**
   * The answer to a lock request that was willing to wait for {@code limit}.
   *
   * @param closing whether the wait ended because the service is stopping
   */
  static Answer answer(LeaseName name, WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome,
      Duration limit, boolean closing, LockEstimates estimates) {
    return switch (outcome) {
      case WaitOutcome.Answered(AcquireOutcome answer) -> answer(name, answer, estimates);
      case WaitOutcome.TimedOut(Decision.Obstacle obstacle) -> waitedInVain(name, obstacle, limit)
          .expecting(estimates.of(name, obstacle))
          .next(NextActions.timedOut(name, obstacle, estimates.moment()));
      case WaitOutcome.TooManyWaiters(int most) -> tooMany(name, most);
      case WaitOutcome.Cancelled() -> closing
          ? CommonProblems.closing("waiting for lock " + name + " ended")
          : withdrawn(name);
    };
  }

  private static Problem withdrawn(LeaseName name) {
    return Problem.of(ErrorCode.LOCK_REQUEST_WITHDRAWN, "the request for lock " + name + " was withdrawn",
        JsonWriter.line()
            .put("lock_name", name.value()).put("suggestion", "repeat the request if the lock is still wanted"));
  }

  /** The request to withdraw does not wait here; it may already hold the lock. */
  static Problem notWaiting(LeaseName name, RequestId by) {
    return look(name, Problem.of(ErrorCode.NOT_WAITING, "request " + by + " does not wait here for lock " + name,
        JsonWriter.line().put("lock_name", name.value()).put("request_id", by.value())
            .put("suggestion", "see who holds it with GET /locks/" + name + "; a lock that was granted is released"
                + " with DELETE /locks/" + name + "?request_id=" + by)));
  }

  /** Too many requests wait for the lock. */
  static Problem tooMany(LeaseName name, int most) {
    return Problem.of(ErrorCode.TOO_MANY_WAITERS, most + " requests already wait for lock " + name,
        JsonWriter.line().put("lock_name", name.value()).put("waiters", most).put("suggestion",
            "try again when fewer requests wait"))
        .header(RETRY_AFTER, SECONDS_UNTIL_ROOM).next(NextActions.crowded(name));
  }

  /** The answer to a lock request that does not wait. */
  static Answer answer(LeaseName name, AcquireOutcome outcome, LockEstimates estimates) {
    return switch (outcome) {
      case AcquireOutcome.Granted(HeldLease held, var previous) -> Answer
          .created(LockJson.granted(held.lease(), previous, false));
      case AcquireOutcome.Kept(HeldLease held) -> Answer.ok(LockJson.granted(held.lease(), null, true));
      case AcquireOutcome.Refused(Decision.Refusal refusal) -> refused(name, refusal, estimates);
      case AcquireOutcome.Undone undone ->
        CommonProblems.storage("lock " + name + " was not acquired: " + undone.error()
            + (undone.leftBehind() ? "; the attempt could not be undone, so the lock will go stale" : ""));
    };
  }

  /** The answer to a heartbeat. */
  static Answer answer(LeaseName name, RequestId by, RenewOutcome outcome) {
    return switch (outcome) {
      case RenewOutcome.Renewed(HeldLease held, long late) -> Answer.ok(LockJson.renewed(held.lease(), late));
      case RenewOutcome.Gone() -> notFound(name);
      case RenewOutcome.Taken(Lease holder) when holder.requestId().equals(by) -> lost(name, holder);
      case RenewOutcome.Taken(Lease holder) -> notOwner(name, holder);
      case RenewOutcome.Refused(Decision.Refusal refusal) -> refused(name, refusal, "");
    };
  }

  /** The answer to a release. */
  static Answer answer(LeaseName name, String path, ReleaseOutcome outcome) {
    return switch (outcome) {
      case ReleaseOutcome.Released(Lease lease, Instant at) -> Answer.ok(LockJson.released(name, lease, at));
      case ReleaseOutcome.Absent() -> notFound(name);
      case ReleaseOutcome.NotOwner(Lease holder) -> notOwner(name, holder);
      case ReleaseOutcome.Refused(Decision.Refusal refusal) -> refused(name, refusal, "");
      case ReleaseOutcome.Failed(Lease _, Instant _, String error) -> notRemoved(name, path, error);
    };
  }

  /** The answer to a forced release. */
  static Answer answer(LeaseName name, String path, ForceReleaseOutcome outcome) {
    return switch (outcome) {
      case ForceReleaseOutcome.Removed(PreviousLock previous, Instant _) ->
        Answer.ok(LockJson.removed(name, previous));
      case ForceReleaseOutcome.Spared(Lease lease) -> Problem.ofAnswer(ErrorCode.RUN_ACTIVE,
          LockText.runActive(lease), LockJson.runActive(name, lease)).next(NextActions.ofLiveRun(lease));
      case ForceReleaseOutcome.Absent() -> notFound(name);
      case ForceReleaseOutcome.Failed(Instant _, String error) -> notRemoved(name, path, error);
    };
  }

  private static Problem look(LeaseName name, Problem problem) {
    return problem.next(NextActions.notYours(name));
  }

  static Problem notFound(LeaseName name) {
    return Problem.of(ErrorCode.LOCK_NOT_FOUND, "there is no lock " + name,
        JsonWriter.line().put("lock_name", name.value()).put("suggestion",
            "see GET /locks"));
  }

  /** The refusal of a lock request, with the time after which to ask again. */
  public static Problem refused(LeaseName name, Decision.Refusal refusal, LockEstimates estimates) {
    return switch (refusal) {
      case Decision.Obstacle obstacle -> {
        LockEstimates.Estimate estimate = estimates.of(name, obstacle);
        Problem problem = refused(name, refusal, estimate.seconds().isEmpty() ? "; it takes longer than usual" : "")
            .expecting(estimate).next(NextActions.of(name, obstacle, estimates.moment()));
        estimate.seconds().ifPresent(seconds -> problem.header(RETRY_AFTER, Long.toString(seconds)));
        yield problem;
      }
      case Decision.Stale _,Decision.OfRun _,Decision.FrozenUnreadably _,Decision.Corrupt _,Decision.Unsupported _ ->
        refused(name, refusal, "");
    };
  }

  private static Problem refused(LeaseName name, Decision.Refusal refusal, String remark) {
    return Problem.ofAnswer(RefusalKind.of(refusal).code(), detail(name, refusal) + remark,
        LockJson.refusal(name, refusal)).next(NextActions.of(name, refusal))
        .suggestingToAgents(RefusalKind.of(refusal).suggestionToAgents());
  }

  private static String detail(LeaseName name, Decision.Refusal refusal) {
    return "lock " + name + switch (refusal) {
      case Decision.Blocked(Lease lease, Age _) -> " is held by " + lease.describeHolder()
          + LockText.fate(lease, false);
      case Decision.Stale(Lease lease, Age _) -> " is stale: held by " + lease.describeHolder()
          + LockText.fate(lease, true);
      case Decision.Frozen frozen -> " is " + LockText.describe(frozen);
      case Decision.FrozenUnreadably(String path, String problem) -> " is frozen by " + path
          + ", which cannot be read: " + problem;
      case Decision.OfRun(RequestId run, var _, var _) -> LockText.ofRun(run);
      case Decision.Corrupt(String problem) -> " cannot be read, so it cannot be acquired: " + problem;
      case Decision.Unsupported(String version) -> " has version " + version + ", which this program does not support";
    };
  }

  private static Problem waitedInVain(LeaseName name, Decision.Obstacle obstacle, Duration waited) {
    return Problem.ofAnswer(ErrorCode.LOCK_WAIT_TIMEOUT,
        "lock " + name + " was not free within " + waited.toSeconds() + " s: "
            + LockText.describe(obstacle),
        LockJson.timeout(name, obstacle)).suggestingToAgents(RefusalKind.of(obstacle).suggestionToAgents());
  }

  private static Problem notOwner(LeaseName name, Lease holder) {
    return look(name, Problem.of(ErrorCode.NOT_LOCK_OWNER,
        "lock " + name + " is not yours: held by " + holder.describeHolder(),
        JsonWriter.line().put("lock_name", name.value())
            .put("held_by", LockJson.heldBy(holder)).put("suggestion", "stop the work under this lock")));
  }

  private static Problem lost(LeaseName name, Lease holder) {
    return look(name, Problem.of(ErrorCode.LOCK_LOST,
        "lock " + name + " was lost: its fencing token is " + holder.token() + " now",
        JsonWriter.line().put("lock_name", name.value())
            .put("fencing_token", holder.token().value()).put("held_by", LockJson.heldBy(holder))
            .put("suggestion", "stop the work under this lock")));
  }

  private static Problem notRemoved(LeaseName name, String path, String error) {
    return Problem.of(ErrorCode.LOCK_RELEASE_FAILED, "lock " + name + " could not be removed: " + error,
        JsonWriter.line().put("lock_name", name.value()).put("lock_path", path)
            .put("suggestion", "try again once the lock directory is writable, or let the lock go stale"));
  }
}
