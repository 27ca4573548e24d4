package fleet.tower.lock;

import fleet.tower.lease.Decision;

/** The names of refusals in the audit log. They are stored, so they never change. */
public final class RefusalNames {
  private RefusalNames() {}

  public static String of(Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked _ -> "lock_blocked";
      case Decision.Stale _ -> "lock_stale";
      case Decision.Frozen _,Decision.FrozenUnreadably _ -> "lock_frozen";
      case Decision.Unreadable _ -> "lock_corrupt";
      case Decision.Newer _ -> "unsupported_lock_version";
    };
  }
}
