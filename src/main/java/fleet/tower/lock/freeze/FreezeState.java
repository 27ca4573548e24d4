package fleet.tower.lock.freeze;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Decision;

/** What a store finds when it looks whether a name is frozen. */
public sealed interface FreezeState {

  /** It is not, or not any more. */
  record None() implements FreezeState {}

  /** It is. */
  record Frozen(Freeze freeze) implements FreezeState {}

  /** There is something that nobody can read as a freeze. It may be one, so the name counts as frozen until it is lifted. */
  record Unreadable(String path, String problem) implements FreezeState {}

  /** What a new holder of the name is refused with; null where it is not frozen. */
  default Decision.@Nullable Refusal refusal() {
    return switch (this) {
      case None() -> null;
      case Frozen(Freeze freeze) -> new Decision.Frozen(freeze.actor(), freeze.reason(), freeze.createdAt(),
          freeze.expiresAt());
      case Unreadable(String path, String problem) -> new Decision.FrozenUnreadably(path, problem);
    };
  }
}
