package fleet.tower.answer;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.queue.Wait;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;

/** Locks and their refusals in words, with the commands that help. */
public final class LockText {
  /** Why an operator removes the lock of a holder that is gone. */
  public static final String GONE = "its holder is gone";
  /** Why an operator removes a lock that cannot be read. */
  public static final String NOT_HELD = "it is not held";
  /** Why the owner of a lock without a live holder releases it. */
  public static final String OF_OWNER = "release it: it is yours, if its work has ended";

  private LockText() {}

  /**
   * What a reader should know about a holder that is gone, and how to see the progress of a run that holds a stale lock
   * or is gone; empty for a live holder. It continues a sentence.
   */
  public static String fate(Lease lease, boolean isStale) {
    String progress = lease.isOfRun()
        ? "; see how far it got: " + CommandLine.of(RunOperations.VIEW, RunOperations.of(lease.requestId()))
        : "";
    if (!lease.holder().isGone()) {
      return isStale ? progress : "";
    }
    return "; its process is gone" + (isStale
        ? ""
        : ", so the lock becomes stale after "
            + Timestamps.format(lease.expiresAt()))
        + progress;
  }

  /** Why a client may not use the id of a run. It continues a sentence. */
  public static String ofRun(RequestId run) {
    return " is not yours: request id " + run + " belongs to a run, whose lock only its executor holds and releases";
  }

  /** Why a lock is not removed by force. */
  public static String runActive(Lease lease) {
    return "lock " + lease.name() + " was not removed: run " + lease.requestId() + " of " + lease.holder().intent()
        + " works under it";
  }

  /** The command that releases a lock for its owner. */
  public static String unlock(Lease lease) {
    return CommandLine.of(LockOperations.RELEASE,
        LockOperations.of(lease.name()).with(LockOperations.OWNING, lease.requestId().value()));
  }

  /** The command that removes a lock for a reason, for operators. */
  public static String release(LeaseName name, String reason) {
    return CommandLine.of(LockOperations.FORCE_RELEASE, LockOperations.of(name).with(CommonArgs.REASON, reason));
  }

  /** The obstacle of a wait, its duration, and the number of requests ahead. */
  public static String waiting(LeaseName name, Decision.Obstacle obstacle, Duration waited, int position) {
    return "tower: lock " + name + " is " + describe(obstacle) + ", waited for " + TimeSpans.format(waited)
        + switch (position) {
          case Wait.UNKNOWN_POSITION -> "";
          case 0 -> ", next in line";
          default -> ", " + position + " ahead of us in line";
        };
  }

  /** The obstacle of a wait in a few words. */
  public static String describe(Decision.Obstacle obstacle) {
    return switch (obstacle) {
      case Decision.Blocked(Lease lease, Age _) -> "held by " + lease.describeHolder() + fate(lease, false);
      case Decision.Frozen(String actor, String reason, Instant _, Instant until) -> frozen(actor, until, reason);
    };
  }

  /**
   * A freeze in a few words, as {@code frozen by ann until 2025-12-18T11:00:10Z: migration}; empty if there is none.
   */
  public static String frozen(FreezeState state) {
    return switch (state) {
      case FreezeState.None() -> "";
      case FreezeState.Frozen(Freeze freeze) -> frozen(freeze.actor(), freeze.expiresAt(), freeze.reason());
      case FreezeState.Corrupt(String path, String problem) ->
        "frozen by " + path + ", which cannot be read: " + problem;
    };
  }

  private static String frozen(String actor, Instant until, String reason) {
    return "frozen by " + actor + " until " + Timestamps.format(until) + ": " + VisibleText.quoted(reason);
  }

  /** An order or a rule in a few words, as {@code halted by ann until it is lifted (release): "wrong version"}. */
  public static String describe(Decision.Barred barred) {
    return switch (barred) {
      case Decision.Halted halt -> halted(halt);
      case Decision.WindowClosed(String window, String reason, Instant opensAt) -> "closed"
          + (opensAt == null ? "" : " until " + Timestamps.format(opensAt)) + " by window " + window
          + " of the policy: "
          + VisibleText.quoted(reason);
      case Decision.LimitReached(String quota, int most) ->
        "over quota " + quota + " of the policy, which allows " + most
            + (most == 1 ? " lock" : " locks") + " at the same time";
    };
  }

  private static String halted(Decision.Halted halt) {
    return "halted" + (halt.actor() == null ? "" : " by " + halt.actor())
        + (halt.until() == null ? " until it is lifted" : " until " + Timestamps.format(halt.until())) + " ("
        + halt.halt()
        + "): " + VisibleText.quoted(halt.reason());
  }

  /** What to do about a freeze that lasts longer than any wait; empty for an obstacle that a wait may outlast. */
  public static Optional<String> outlasting(Decision.Refusal refusal, Instant now) {
    return refusal instanceof Decision.Frozen frozen ? outlasting(frozen.until(), now) : Optional.empty();
  }

  /** What to do about a freeze that lasts longer than any wait; empty for one that a wait may outlast. */
  public static Optional<String> outlasting(Instant until, Instant now) {
    return Duration.between(now, until).compareTo(Wait.MAX_LIMIT) > 0
        ? Optional.of("the freeze lasts until " + Timestamps.format(until) + ", longer than the longest wait of "
            + TimeSpans.format(Wait.MAX_LIMIT) + ": ask again after that")
        : Optional.empty();
  }

  /** The previous holder of a lock that was stolen. */
  public static String taken(Lease previous) {
    return "lock " + previous.name() + " was taken from " + previous.describeHolder() + ", last alive "
        + Timestamps.format(previous.lastHeartbeatAt());
  }
}
