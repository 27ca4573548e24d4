package fleet.tower.cli.reply;

import java.io.UncheckedIOException;
import java.time.Duration;

import fleet.tower.cli.shell.Durations;
import fleet.tower.cli.shell.Exit;
import fleet.tower.cli.shell.Reply;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.LockAnswers;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;

/** Failures and refusals as the command line tells them. */
public final class Answers {
  private Answers() {}

  /** The exit code of a refusal. */
  public static Exit exit(Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked _,Decision.Frozen _,Decision.FrozenUnreadably _ -> Exit.HELD;
      case Decision.Stale _ -> Exit.STALE;
      case Decision.Unreadable _,Decision.Newer _ -> Exit.FAILED;
    };
  }

  /** What a command throws, as an answer. */
  public static Reply failure(RuntimeException failure) {
    return switch (failure) {
      case InvalidValue e -> Reply.failure(Exit.USAGE, LockAnswers.errorCode(e.kind()), e.problem(), "");
      case StorageException e ->
        Reply.failure(Exit.UNAVAILABLE, "storage_unavailable", message(e), "see `tower doctor`");
      case RemoteRefusal told -> told.reply();
      case UncheckedIOException e -> Reply.failure(Exit.UNAVAILABLE, "storage_unavailable", message(e),
          "see `tower doctor`");
      default -> Reply.failure(Exit.FAILED, "internal_error", message(failure), "this is a bug; please report it");
    };
  }

  public static Reply refusal(LeaseName name, Decision.Refusal refusal) {
    return refusal(name, refusal, "tower lock " + name);
  }

  /** To somebody who asked for a lock by a command, which may be repeated with other options. */
  public static Reply refusal(LeaseName name, Decision.Refusal refusal, String asked) {
    return Reply.failure(exit(refusal), LockAnswers.errorCode(refusal), sentence(name, refusal),
        command(name, refusal, asked), LockAnswers.refusal(name, refusal));
  }

  public static Reply notFound(LeaseName name) {
    return Reply.failure(Exit.NOT_FOUND, "lock_not_found", "there is no lock " + name, "see `tower locks`",
        JsonWriter.line().put("lock_name", name.value()));
  }

  public static Reply notOwner(LeaseName name, Lease holder) {
    return Reply.failure(Exit.NOT_OWNER, "not_lock_owner",
        "lock " + name + " is not yours: held by " + LockAnswers.describe(holder), "see `tower why " + name + "`",
        JsonWriter.line().put("lock_name", name.value()).put("held_by", LockAnswers.heldBy(holder)));
  }

  private static String sentence(LeaseName name, Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked(Lease lease, Age age) ->
        "lock " + name + " is held by " + LockAnswers.describe(lease) + " for " + heldFor(lease, age)
            + ", last heartbeat " + ago(age);
      case Decision.Stale(Lease lease, Age age) -> "lock " + name + " is stale: held by " + LockAnswers.describe(lease)
          + " for " + heldFor(lease, age) + ", last heartbeat " + ago(age) + ", more than its ttl of "
          + Durations.format(lease.ttl().duration());
      case Decision.Frozen frozen -> "lock " + name + " is " + LockAnswers.describe(frozen);
      case Decision.FrozenUnreadably(String path, String problem) -> "lock " + name + " is frozen by " + path
          + ", which cannot be read: " + problem;
      case Decision.Unreadable(String problem) -> "lock " + name + " cannot be read, so nobody can have it: " + problem;
      case Decision.Newer(String version) -> "lock " + name + " is of version " + version + ", which is not known here";
    };
  }

  private static String command(LeaseName name, Decision.Refusal refusal, String asked) {
    return switch (refusal) {
      case Decision.Blocked _ -> "wait for it: " + asked + " --wait 10m";
      case Decision.Frozen _ -> "wait until it is over: " + asked + " --wait 1h";
      case Decision.FrozenUnreadably _ -> "if nobody wants it frozen: tower unfreeze " + name;
      case Decision.Stale _ -> "take it, if its holder is really gone: " + asked + " --force-lock";
      case Decision.Unreadable _ -> "if nobody holds it: tower force-release " + name + " --reason TEXT";
      case Decision.Newer _ -> "upgrade this program; or, if nobody holds it: tower force-release " + name
          + " --reason TEXT";
    };
  }

  /** By the clock that judged the lease. */
  public static String heldFor(Lease lease, Age age) {
    return Durations.format(Duration.between(lease.createdAt(), lease.lastHeartbeatAt()).plus(age.sinceHeartbeat()));
  }

  public static String ago(Age age) {
    return age.seconds() < 0
        ? Durations.format(age.sinceHeartbeat().negated()) + " ahead of this clock"
        : Durations.format(age.sinceHeartbeat()) + " ago";
  }

  private static String message(RuntimeException failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }
}
