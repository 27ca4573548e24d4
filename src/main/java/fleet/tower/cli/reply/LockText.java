package fleet.tower.cli.reply;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.LockView;
import fleet.tower.lock.freeze.Freeze;
import fleet.tower.lock.freeze.FreezeState;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.time.Timestamps;

/** Locks and their refusals in words, with the commands that help. */
public final class LockText {
  /** A view does not say which interval its holder was configured with, so the default is assumed. */
  private static final Duration ASSUMED_MAX_INTERVAL = RenewalSchedule.DEFAULT_MAX_INTERVAL;

  private LockText() {}

  /** The error code of a refusal. */
  public static ErrorCode code(Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked _ -> ErrorCode.LOCK_BLOCKED;
      case Decision.Stale _ -> ErrorCode.LOCK_STALE;
      case Decision.Frozen _,Decision.FrozenUnreadably _ -> ErrorCode.LOCK_FROZEN;
      case Decision.Unreadable _ -> ErrorCode.LOCK_CORRUPT;
      case Decision.Newer _ -> ErrorCode.UNSUPPORTED_LOCK_VERSION;
    };
  }

  /** The suggestion after a refusal; the first two are the specification's own words. */
  public static String suggestion(Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked _ -> "Wait for completion or use --force-lock if stale";
      case Decision.Stale _ -> "Use --force-lock to acquire (stale lock will be logged)";
      case Decision.Frozen _ -> "Wait until the freeze ends, or ask its owner to lift it";
      case Decision.FrozenUnreadably _ -> "Look at it; if the freeze is not wanted, use unfreeze";
      case Decision.Unreadable _ -> "Look at it; if it is not held, use force-release with a reason";
      case Decision.Newer _ -> "Upgrade this program; or, if it is not held, use force-release with a reason";
    };
  }

  /** One reason why a lock is not available now, and the command that helps. */
  public record Reason(String type, String message, String command) {}

  /** Every reason why a lock is not available now, the strongest first; none when it is free. */
  public static List<Reason> reasons(LockView view, int waiters) {
    List<Reason> reasons = new ArrayList<>(frozenReasons(view));
    reasons.addAll(holdReasons(view));
    if (!reasons.isEmpty() && waiters > 0) {
      reasons.add(new Reason("waiting", waiters + (waiters == 1 ? " request is" : " requests are")
          + " waiting for it; you would be number " + (waiters + 1), "tower lock " + view.name() + " --wait 10m"));
    }
    return reasons;
  }

  private static List<Reason> frozenReasons(LockView view) {
    return switch (view.freeze()) {
      case FreezeState.None() -> List.of();
      case FreezeState.Frozen _ -> List.of(new Reason("frozen", frozen(view.freeze()),
          "tower lock " + view.name() + " --wait 1h"));
      case FreezeState.Unreadable _ -> List.of(new Reason("frozen", frozen(view.freeze()),
          "tower unfreeze " + view.name()));
    };
  }

  private static List<Reason> holdReasons(LockView view) {
    String name = view.name().value();
    return switch (view.leaseState()) {
      case LeaseState.Vacant() -> List.of();
      case LeaseState.Corrupt(String problem) -> List.of(new Reason("corrupt",
          view.path() + " cannot be read as a lock: " + problem, forceRelease(name)));
      case LeaseState.Unsupported(String version) -> List.of(new Reason("unsupported", view.path()
          + " is of lock version " + version + ", which this program does not know; upgrade it", forceRelease(name)));
      case LeaseState.Held held -> heldReasons(name, held);
    };
  }

  private static List<Reason> heldReasons(String name, LeaseState.Held held) {
    Lease lease = held.lease();
    String holder = lease.describeHolder();
    List<Reason> reasons = new ArrayList<>();
    if (held.isStale()) {
      reasons.add(new Reason("stale", "held by " + holder + ", whose last heartbeat was " + held.age().seconds()
          + " s ago, more than its ttl of " + lease.ttl().seconds() + " s", "tower lock " + name + " --force-lock"));
    } else {
      reasons.add(new Reason("held", "held by " + holder + ", alive " + Math.max(0, held.age().seconds()) + " s ago",
          "tower lock " + name + " --wait 10m"));
    }
    if (isStuck(held)) {
      reasons.add(new Reason("no_progress", "no progress since " + Timestamps.format(lease.lastHeartbeatAt())
          + (held.isStale()
              ? ""
              : ": without progress it is stale after " + Timestamps.format(lease.expiresAt()))
          + " (or its executor has died)", "tower runs " + lease.requestId()));
    }
    if (held.age().isSkewed()) {
      reasons.add(new Reason("clock_skew", "its last heartbeat lies " + -held.age().seconds()
          + " s ahead of this host's clock; it goes stale a ttl after its file was last written", forceRelease(name)));
    } else if (!held.isStale() && held.age().exceedsByWallClock(lease.ttl())) {
      reasons
          .add(new Reason("clock_stepped", "this host's wall clock was stepped; by its boot clock the holder is alive",
              "tower doctor"));
    }
    return reasons;
  }

  /** Whether a holder that must prove progress has missed at least one renewal. */
  private static boolean isStuck(LeaseState.Held held) {
    Lease lease = held.lease();
    Duration interval = RenewalSchedule.interval(lease.ttl().duration(), ASSUMED_MAX_INTERVAL);
    try {
      return held.age().seconds() > interval.toSeconds() + 1
          && JsonReader.readObject(lease.metadata()).text(AcquireRequest.Metadata.HEARTBEAT)
              .filter(AcquireRequest.Metadata.PROGRESS::equals).isPresent();
    } catch (JsonException noneOfOurs) {
      return false;
    }
  }

  /** The obstacle of a wait in a few words. */
  public static String describe(Decision.Obstacle obstacle) {
    return switch (obstacle) {
      case Decision.Blocked(Lease lease, Age _) -> "held by " + lease.describeHolder();
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
      case FreezeState.Unreadable(String path, String problem) ->
        "frozen by " + path + ", which cannot be read: " + problem;
    };
  }

  private static String frozen(String actor, Instant until, String reason) {
    return "frozen by " + actor + " until " + Timestamps.format(until) + ": " + reason;
  }

  /** The previous holder of a lock that was stolen. */
  public static String taken(Lease previous) {
    return "lock " + previous.name() + " was taken from " + previous.describeHolder() + ", last alive "
        + Timestamps.format(previous.lastHeartbeatAt());
  }

  private static String forceRelease(String name) {
    return "tower force-release " + name + " --reason TEXT";
  }
}
