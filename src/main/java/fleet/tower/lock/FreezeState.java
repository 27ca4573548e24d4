package fleet.tower.lock;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Decision;

/** Whether a name is frozen. */
public sealed interface FreezeState {

  /** The name is not frozen, or its freeze has expired. */
  record None() implements FreezeState {}

  /** The name is frozen. */
  record Frozen(Freeze freeze) implements FreezeState {}

  /**
   * There is something that is not readable as a freeze. It may be one, so the name counts as frozen until it is
   * unfrozen.
   */
  record Corrupt(String path, String problem) implements FreezeState {}

  /** The refusal of a new holder; null if the name is not frozen. */
  default Decision.@Nullable Refusal refusal() {
    return switch (this) {
      case None() -> null;
      case Frozen(Freeze freeze) -> new Decision.Frozen(freeze.actor(), freeze.reason(), freeze.createdAt(),
          freeze.expiresAt());
      case Corrupt(String path, String problem) -> new Decision.FrozenUnreadably(path, problem);
    };
  }
}
