package fleet.tower.answer;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;

import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.RefusalKind;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidConfiguration;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.TimeSpans;

/** Failures and refusals of locks as the answers of commands. */
public final class Answers {
  private Answers() {}

  /** The answer to an exception of a command. */
  public static Reply failure(RuntimeException failure) {
    return switch (failure) {
      case InvalidValue e -> Failures.of(ErrorCode.of(e.kind()), e.problem(), "");
      case InvalidConfiguration e -> Failures.of(ErrorCode.INVALID_CONFIG, e.problem(), "correct it, and try again");
      case StorageException e ->
        Failures.of(e.code(), message(e), "see `tower doctor`");
      case RemoteRefusal refusal -> refusal.reply();
      case UncheckedIOException e -> Failures.of(ErrorCode.STORAGE_UNAVAILABLE, message(e),
          "see `tower doctor`");
      default -> Failures.of(ErrorCode.INTERNAL_ERROR, message(failure), "this is a bug; please report it");
    };
  }

  /** The answer to a refused acquisition. */
  public static Reply refusal(LeaseName name, Decision.Refusal refusal) {
    return Failures.of(RefusalKind.of(refusal).code(), sentence(name, refusal), "", LockJson.refusal(name, refusal))
        .next(NextActions.of(name, refusal));
  }

  /** The answer to an acquisition that was refused now. */
  public static Reply refusal(LeaseName name, Decision.Refusal refusal, Instant now) {
    return refusal(name, refusal).next(NextActions.of(name, refusal, now));
  }

  public static Reply notFound(LeaseName name) {
    return Failures.of(ErrorCode.LOCK_NOT_FOUND, "there is no lock " + name, "see `tower locks`",
        JsonWriter.line().put("lock_name", name.value()));
  }

  /** The answer to a forced release that leaves the lock to a live run. */
  public static Reply runActive(LeaseName name, Lease lease) {
    return Failures.of(ErrorCode.RUN_ACTIVE, LockText.runActive(lease), "", LockJson.runActive(name, lease))
        .next(NextActions.ofLiveRun(lease));
  }

  public static Reply notOwner(LeaseName name, Lease holder) {
    return Failures.of(ErrorCode.NOT_LOCK_OWNER, "lock " + name + " is not yours: held by " + holder.describeHolder(),
        "see `tower why " + name + "`",
        JsonWriter.line().put("lock_name", name.value()).put("held_by", LockJson.heldBy(holder)))
        .next(NextActions.notYours(name));
  }

  private static String sentence(LeaseName name, Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked(Lease lease, Age age) ->
        "lock " + name + " is held by " + lease.describeHolder() + " for " + heldFor(lease, age)
            + ", last heartbeat " + ago(age) + LockText.fate(lease, false);
      case Decision.Stale(Lease lease, Age age) -> "lock " + name + " is stale: held by " + lease.describeHolder()
          + " for " + heldFor(lease, age) + ", last heartbeat " + ago(age) + ", more than its ttl of "
          + TimeSpans.format(lease.ttl().duration()) + LockText.fate(lease, true);
      case Decision.Frozen frozen -> "lock " + name + " is " + LockText.describe(frozen);
      case Decision.FrozenUnreadably(String path, String problem) -> "lock " + name + " is frozen by " + path
          + ", which cannot be read: " + problem;
      case Decision.OfRun(RequestId run, var _, var _) -> "lock " + name + LockText.ofRun(run);
      case Decision.Corrupt(String problem) ->
        "lock " + name + " cannot be read, so it cannot be acquired: " + problem;
      case Decision.Unsupported(String version) ->
        "lock " + name + " has version " + version + ", which this program does not support";
    };
  }

  /** The time since a lease was granted, by the clock that judged it. */
  public static String heldFor(Lease lease, Age age) {
    return TimeSpans.format(Duration.between(lease.createdAt(), lease.lastHeartbeatAt()).plus(age.sinceHeartbeat()));
  }

  public static String ago(Age age) {
    return age.seconds() < 0
        ? TimeSpans.format(Duration.ZERO.minus(age.sinceHeartbeat())) + " ahead of this clock"
        : TimeSpans.format(age.sinceHeartbeat()) + " ago";
  }

  private static String message(RuntimeException failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }
}
