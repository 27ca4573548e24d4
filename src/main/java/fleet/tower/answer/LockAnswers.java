package fleet.tower.answer;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.HeartbeatCounts;
import fleet.tower.lease.keepalive.RenewalLag;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.LockView;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.RefusalKind;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.operation.LockCallOutcome;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;

/** What came of requests about locks and freezes, as answers. */
public final class LockAnswers {
  private static final String HEARTBEATS = "heartbeats";
  private static final String STOP = "stop the work under this lock";

  private LockAnswers() {}

  /** The answer to a request. */
  static Answer of(LockCallOutcome outcome, @Nullable LockEstimates estimates, Instant now) {
    return switch (outcome) {
      case LockCallOutcome.Acquired acquired -> acquired(acquired, estimates, now);
      case LockCallOutcome.Renewed(LeaseName name, Owner by, RenewOutcome renewed) -> renewed(name, by, renewed, now);
      case LockCallOutcome.Released(LeaseName name, String path, ReleaseOutcome released) ->
        released(name, path, released, now);
      case LockCallOutcome.ForceReleased(LeaseName name, String path, ForceReleaseOutcome released) ->
        released(name, path, released);
      case LockCallOutcome.Withdrawn(LeaseName name, RequestId by, boolean isWithdrawn) -> isWithdrawn
          ? Answer.ok(JsonWriter.line().put("lock_name", name.value()).put("request_id", by.value())
              .put("withdrawn", true))
          : notWaiting(name, by);
      case LockCallOutcome.Viewed viewed -> viewed(viewed);
      case LockCallOutcome.Listed listed -> listed(listed);
      case LockCallOutcome.Freezes(var all) -> Answer.ok(JsonWriter.line().list("freezes", all.entrySet().stream()
          .map(one -> FreezeJson.frozen(one.getKey(), one.getValue())).filter(Objects::nonNull).map(JsonWriter::end)
          .toList()));
      case LockCallOutcome.Frozen(LeaseName name, FreezeOutcome frozen) -> frozen(name, frozen);
      case LockCallOutcome.Unfrozen(LeaseName name, UnfreezeOutcome unfrozen) -> unfrozen(name, unfrozen);
    };
  }

  private static Answer acquired(LockCallOutcome.Acquired acquired, @Nullable LockEstimates estimates,
      Instant now) {
    LeaseName name = acquired.name();
    return switch (acquired.outcome()) {
      case WaitOutcome.Answered(AcquireOutcome answer) -> acquired(name, answer, estimates, now);
      case WaitOutcome.TimedOut(Decision.Obstacle obstacle) -> {
        Problem problem = Problem.ofAnswer(ErrorCode.LOCK_WAIT_TIMEOUT,
            "lock " + name + " was not free within " + TimeSpans.format(acquired.limit()) + ": "
                + LockText.describe(obstacle),
            LockJson.waitedInVain(name, obstacle)).next(Remedies.timedOut(name, obstacle, now))
            .suggestingToAgents(RefusalKind.of(obstacle).suggestionToAgents());
        yield estimates == null ? problem : problem.expecting(estimates.of(name, obstacle));
      }
      case WaitOutcome.TooManyWaiters(int most) -> tooManyWaiters(name, most);
      case WaitOutcome.Cancelled() -> acquired.isClosing()
          ? CommonProblems.closing("waiting for lock " + name + " ended")
          : givenUp(name.value());
    };
  }

  /** The answer to a client that gave up its wait, or withdrew it by another call. */
  static Problem givenUp(String name) {
    return Problem.of(ErrorCode.LOCK_REQUEST_WITHDRAWN, "the request for lock " + name + " was withdrawn",
        JsonWriter.line().put("lock_name", name).put("suggestion", "repeat the request if the lock is still wanted"));
  }

  private static Answer acquired(LeaseName name, AcquireOutcome outcome, @Nullable LockEstimates estimates,
      Instant now) {
    return switch (outcome) {
      case AcquireOutcome.Granted(HeldLease held, PreviousLock previous) ->
        Answer.created(LockJson.granted(held.lease(), previous, false));
      case AcquireOutcome.Kept(HeldLease held) -> Answer.ok(LockJson.granted(held.lease(), null, true));
      case AcquireOutcome.Refused(Decision.Refusal refusal) -> refused(name, refusal, estimates, now);
      case AcquireOutcome.Undone undone ->
        CommonProblems.storage("lock " + name + " was not acquired: " + undone.error()
            + (undone.leftBehind() ? "; the attempt could not be undone, so the lock will go stale" : ""));
    };
  }

  private static Answer renewed(LeaseName name, Owner by, RenewOutcome outcome, Instant now) {
    return switch (outcome) {
      case RenewOutcome.Renewed(HeldLease held, long late) -> Answer.ok(LockJson.renewed(held.lease(), late));
      case RenewOutcome.Gone() -> notFound(name);
      case RenewOutcome.Taken(Lease holder) when holder.isHeldBy(by, FencingToken.NONE) -> look(name, Problem.of(
          ErrorCode.LOCK_LOST, "lock " + name + " was lost: its fencing token is " + holder.token() + " now",
          JsonWriter.line().put("lock_name", name.value()).put("fencing_token", holder.token().value())
              .put("held_by", LockJson.heldBy(holder)).put("suggestion", STOP)));
      case RenewOutcome.Taken(Lease holder) -> notOwner(name, holder);
      case RenewOutcome.Refused(Decision.Refusal refusal) -> refused(name, refusal, null, now);
    };
  }

  private static Answer released(LeaseName name, String path, ReleaseOutcome outcome, Instant now) {
    return switch (outcome) {
      case ReleaseOutcome.Released(Lease lease, Instant at) -> Answer.ok(LockJson.released(name, lease, at));
      case ReleaseOutcome.Absent() -> notFound(name);
      case ReleaseOutcome.NotOwner(Lease holder) -> notOwner(name, holder);
      case ReleaseOutcome.Refused(Decision.Refusal refusal) -> refused(name, refusal, null, now);
      case ReleaseOutcome.Failed(Lease _, Instant _, String error) -> notRemoved(name, path, error);
    };
  }

  private static Answer released(LeaseName name, String path, ForceReleaseOutcome outcome) {
    return switch (outcome) {
      case ForceReleaseOutcome.Removed(PreviousLock previous, Instant _) ->
        Answer.ok(LockJson.removed(name, previous));
      case ForceReleaseOutcome.Spared(Lease lease) -> Problem.ofAnswer(ErrorCode.RUN_ACTIVE,
          LockText.runActive(lease), LockJson.runActive(name, lease)).next(Remedies.ofLiveRun(lease));
      case ForceReleaseOutcome.Absent() -> notFound(name);
      case ForceReleaseOutcome.Failed(Instant _, String error) -> notRemoved(name, path, error);
    };
  }

  private static Answer viewed(LockCallOutcome.Viewed viewed) {
    LockView view = viewed.view();
    if (view.isFree()) {
      return notFound(view.name());
    }
    JsonWriter json = LockJson.view(view, viewed.waiters()).list("queue", LockJson.queue(viewed.queue()));
    viewed.heartbeats().map(LockAnswers::counts).ifPresent(counts -> json.put(HEARTBEATS, counts));
    return Answer.ok(json);
  }

  private static JsonWriter counts(HeartbeatCounts counts) {
    return JsonWriter.line().put("beats", counts.beats()).put("failures", counts.failures())
        .put("consecutive_failures", counts.consecutiveFailures()).put("last_error", counts.lastError());
  }

  private static Answer listed(LockCallOutcome.Listed listed) {
    RenewalLag lag = listed.lag();
    JsonWriter heartbeats = JsonWriter.line().put("beats", lag.beats())
        .put("worst_lateness_ms", lag.worst().toMillis()).put("failures", lag.failures())
        .put("failing", lag.failing());
    return new Answer.Listing("locks", JsonWriter.line().put(HEARTBEATS, heartbeats), listed.page(),
        reader -> listed.rows().read(row -> reader.test(row.as(LockAnswers::row))));
  }

  private static JsonWriter row(LockCallOutcome.Row row) {
    return LockJson.view(row.view(), row.waiters());
  }

  private static Answer frozen(LeaseName name, FreezeOutcome outcome) {
    return switch (outcome) {
      case FreezeOutcome.Frozen(Freeze freeze) -> Answer.created(FreezeJson.freeze(freeze));
      case FreezeOutcome.Kept(Freeze freeze) -> Answer.ok(FreezeJson.freeze(freeze));
      case FreezeOutcome.AlreadyFrozen(FreezeState standing) -> {
        Decision.Refusal refusal = Objects.requireNonNull(standing.refusal(), "no freeze of " + name);
        yield Problem.ofAnswer(RefusalKind.of(refusal).code(),
            "lock " + name + " is already " + LockText.frozen(standing), LockJson.refusal(name, refusal))
            .next(Remedies.frozenAlready(name));
      }
    };
  }

  private static Answer unfrozen(LeaseName name, UnfreezeOutcome outcome) {
    return switch (outcome) {
      case UnfreezeOutcome.Unfrozen(FreezeState lifted, Instant _) -> Answer.ok(FreezeJson.unfrozen(name, lifted));
      case UnfreezeOutcome.NotFrozen() -> Problem.of(ErrorCode.NOT_FROZEN, "lock " + name + " is not frozen",
          JsonWriter.line().put("lock_name", name.value()).put("suggestion", "list the freezes"));
    };
  }

  /** The refusal of a request for a lock, with its place and the time after which to ask again, if they are known. */
  public static Problem refused(LeaseName name, Decision.Refusal refusal, @Nullable LockEstimates estimates,
      Instant now) {
    if (estimates == null || !(refusal instanceof Decision.Obstacle obstacle)) {
      return problem(name, refusal, "", now);
    }
    LockEstimates.Estimate estimate = estimates.of(name, obstacle);
    Problem problem = problem(name, refusal, estimate.seconds().isEmpty() ? "; it takes longer than usual" : "", now)
        .expecting(estimate);
    estimate.seconds().ifPresent(seconds -> problem.header("Retry-After", Long.toString(seconds)));
    return problem;
  }

  private static Problem problem(LeaseName name, Decision.Refusal refusal, String remark, Instant now) {
    return retry(Problem.ofAnswer(RefusalKind.of(refusal).code(), sentence(name, refusal) + remark,
        LockJson.refusal(name, refusal)), refusal, now).next(Remedies.of(name, refusal, now))
        .suggestingToAgents(RefusalKind.of(refusal).suggestionToAgents());
  }

  /** Says when to come again after a refusal that ends at a known moment. */
  static Problem retry(Problem problem, Decision.Refusal refusal, Instant now) {
    if (refusal instanceof Decision.LimitReached) {
      return problem.with("retry_at", Timestamps.format(CommonProblems.untilRoom(now)))
          .header("Retry-After", CommonProblems.SECONDS_UNTIL_ROOM);
    }
    Instant end = switch (refusal) {
      case Decision.Halted halt -> halt.until();
      case Decision.WindowClosed(String _, String _, Instant opensAt) -> opensAt;
      case Decision.Obstacle _,Decision.LimitReached _,Decision.Stale _,Decision.OfRun _,Decision.Unusable _ -> null;
    };
    return end == null || !end.isAfter(now)
        ? problem
        : problem.header("Retry-After", Long.toString(Duration.between(now, end).toSeconds() + 1));
  }

  /** The same, whenever the request was refused. */
  public static Problem refused(LeaseName name, Decision.Refusal refusal) {
    return Problem.ofAnswer(RefusalKind.of(refusal).code(), sentence(name, refusal), LockJson.refusal(name, refusal))
        .next(Remedies.of(name, refusal));
  }

  /** The refusal of a request for a lock in a sentence. */
  static String sentence(LeaseName name, Decision.Refusal refusal) {
    return "lock " + name + switch (refusal) {
      case Decision.Blocked(Lease lease, Age age) -> " is held by " + lease.describeHolder() + " for "
          + heldFor(lease, age) + ", last heartbeat " + ago(age) + LockText.fate(lease, false);
      case Decision.Stale(Lease lease, Age age) -> " is stale: held by " + lease.describeHolder() + " for "
          + heldFor(lease, age) + ", last heartbeat " + ago(age) + ", more than its ttl of "
          + TimeSpans.format(lease.ttl().duration()) + LockText.fate(lease, true);
      case Decision.Frozen frozen -> " is " + LockText.describe(frozen);
      case Decision.FrozenUnreadably(String path, String problem) -> " is frozen by " + path
          + ", which cannot be read: " + problem;
      case Decision.Barred barred -> " is " + LockText.describe(barred);
      case Decision.OfRun(RequestId run, var _, var _) -> LockText.ofRun(run);
      case Decision.Corrupt(String problem) -> " cannot be read, so it cannot be acquired: " + problem;
      case Decision.Unsupported(String version) -> " has version " + version + ", which this program does not support";
    };
  }

  /** The time since a lease was granted, by the clock that judged it. */
  public static String heldFor(Lease lease, Age age) {
    return TimeSpans.format(Duration.between(lease.createdAt(), lease.lastHeartbeatAt()).plus(age.sinceHeartbeat()));
  }

  /** How long ago the last heartbeat was. */
  public static String ago(Age age) {
    return age.seconds() < 0
        ? TimeSpans.format(Duration.ZERO.minus(age.sinceHeartbeat())) + " ahead of this clock"
        : TimeSpans.format(age.sinceHeartbeat()) + " ago";
  }

  private static Problem look(LeaseName name, Problem problem) {
    return problem.next(Remedies.notYours(name));
  }

  /** Too many requests wait for the lock. */
  public static Problem tooManyWaiters(LeaseName name, int most) {
    return Problem.of(ErrorCode.TOO_MANY_WAITERS, most + " requests already wait for lock " + name,
        JsonWriter.line().put("lock_name", name.value()).put("waiters", most).put("suggestion",
            "try again when fewer requests wait"))
        .header("Retry-After", CommonProblems.SECONDS_UNTIL_ROOM).next(Remedies.crowded(name));
  }

  /** The request to withdraw does not wait here; it may already hold the lock. */
  private static Problem notWaiting(LeaseName name, RequestId by) {
    return look(name, Problem.of(ErrorCode.NOT_WAITING, "request " + by + " does not wait here for lock " + name,
        JsonWriter.line().put("lock_name", name.value()).put("request_id", by.value())
            .put("suggestion", "see who holds it; if the lock was granted meanwhile, release it")));
  }

  /** There is no such lock. */
  public static Problem notFound(LeaseName name) {
    return Problem.of(ErrorCode.LOCK_NOT_FOUND, "there is no lock " + name,
        JsonWriter.line().put("lock_name", name.value()).put("suggestion", "list the locks"))
        .next(Remedies.of(ErrorCode.LOCK_NOT_FOUND));
  }

  private static Problem notOwner(LeaseName name, Lease holder) {
    return look(name, Problem.of(ErrorCode.NOT_LOCK_OWNER,
        "lock " + name + " is not yours: held by " + holder.describeHolder(),
        JsonWriter.line().put("lock_name", name.value()).put("held_by", LockJson.heldBy(holder))
            .put("suggestion", STOP)));
  }

  private static Problem notRemoved(LeaseName name, String path, String error) {
    return Problem.of(ErrorCode.LOCK_RELEASE_FAILED, "lock " + name + " could not be removed: " + error,
        JsonWriter.line().put("lock_name", name.value()).put("lock_path", path).put("problem", error)
            .put("suggestion", "try again once the lock directory is writable, or let the lock go stale"));
  }
}
