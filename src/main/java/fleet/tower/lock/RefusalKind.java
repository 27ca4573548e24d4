package fleet.tower.lock;

import fleet.tower.lease.Decision;
import fleet.tower.platform.ErrorCode;

/**
 * The kind of a refused request for a lock, with its error code and the suggestion for the caller. The audit log stores
 * the code, and a refused run stores both, so neither changes.
 */
public enum RefusalKind {
  /** A live holder has the lock; the suggestion is the specification's own wording. */
  BLOCKED(ErrorCode.LOCK_BLOCKED, "Wait for completion or use --force-lock if stale", "Wait for completion"),
  /** A dead holder has the lock; the suggestion is the specification's own wording. */
  STALE(ErrorCode.LOCK_STALE, "Use --force-lock to acquire (stale lock will be logged)",
      "Ask an operator to take it, if its holder is really gone"),
  /** The lock is frozen. */
  FROZEN(ErrorCode.LOCK_FROZEN, "Wait until the freeze ends, or ask its owner to lift it",
      "Wait until the freeze ends, or ask its owner to lift it"),
  /** The lock has a freeze that cannot be read. */
  FROZEN_UNREADABLY(ErrorCode.LOCK_FROZEN, "Look at it; if the freeze is not wanted, use unfreeze",
      "Look at it; if the freeze is not wanted, ask an operator to lift it"),
  /** An operator has halted what was requested. */
  HALTED(ErrorCode.HALTED, "Wait until the halt is lifted, or ask who placed it",
      "Wait until the halt is lifted, or ask who placed it"),
  /** The policy does not allow it at this time. */
  WINDOW_CLOSED(ErrorCode.WINDOW_CLOSED, "Try again when the window opens", "Try again when the window opens"),
  /** The policy allows no more locks at the same time. */
  LIMIT_REACHED(ErrorCode.QUOTA_EXCEEDED, "Release a lock, or try again when one is released",
      "Release a lock, or try again when one is released"),
  /** The request has the id of a run. */
  OF_RUN(ErrorCode.LOCK_OF_RUN, "Cancel the run to free its lock; for a lock of your own, use another request id",
      "Cancel the run to free its lock; for a lock of your own, use another request id"),
  /** The lock cannot be read. */
  CORRUPT(ErrorCode.LOCK_CORRUPT, "Look at it; if it is not held, use force-release with a reason",
      "Look at it; if it is not held, ask an operator to remove it"),
  /** The lock was written by a newer version of the specification. */
  UNSUPPORTED(ErrorCode.UNSUPPORTED_LOCK_VERSION,
      "Upgrade this program; or, if it is not held, use force-release with a reason",
      "Ask an operator to upgrade this program; or, if the lock is not held, to remove it");

  private final ErrorCode code;
  private final String suggestion;
  private final String suggestionToAgents;

  RefusalKind(ErrorCode code, String suggestion, String suggestionToAgents) {
    this.code = code;
    this.suggestion = suggestion;
    this.suggestionToAgents = suggestionToAgents;
  }

  public static RefusalKind of(Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked _ -> BLOCKED;
      case Decision.Stale _ -> STALE;
      case Decision.Frozen _ -> FROZEN;
      case Decision.FrozenUnreadably _ -> FROZEN_UNREADABLY;
      case Decision.Halted _ -> HALTED;
      case Decision.WindowClosed _ -> WINDOW_CLOSED;
      case Decision.LimitReached _ -> LIMIT_REACHED;
      case Decision.OfRun _ -> OF_RUN;
      case Decision.Corrupt _ -> CORRUPT;
      case Decision.Unsupported _ -> UNSUPPORTED;
    };
  }

  public ErrorCode code() {
    return code;
  }

  /** What an operator can do about it. */
  public String suggestion() {
    return suggestion;
  }

  /** What a caller can do about it who is no operator. */
  public String suggestionToAgents() {
    return suggestionToAgents;
  }
}
