package fleet.tower.foreign;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Timestamps;

/** The state of a foreign lock. */
public sealed interface ForeignLockState {

  /** The state in a few words, which follow "it is". */
  default String describe() {
    return switch (this) {
      case Free _ -> "free";
      case Cleared(Occupant occupant) -> "free: the lock of the dead " + occupant + " was removed";
      case Stale(Occupant occupant) -> "stale: its holder " + occupant + " is dead";
      case Held(Occupant occupant) -> "held by " + occupant;
      case Doubtful(String problem, var _) -> "in doubt, which counts as held: " + problem;
    };
  }

  /** The holder, as far as it is known. */
  default @Nullable String holder() {
    return switch (this) {
      case Free() -> null;
      case Cleared(Occupant occupant) -> occupant.holder();
      case Stale(Occupant occupant) -> occupant.holder();
      case Held(Occupant occupant) -> occupant.holder();
      case Doubtful(String _, String holder) -> holder;
    };
  }

  /** The lock does not block. */
  sealed interface Passable extends ForeignLockState {}

  /** The lock blocks. */
  sealed interface Blocking extends ForeignLockState {}

  /** The lock has no holder. */
  record Free() implements Passable {}

  /** The holder is certainly dead; its lock still exists. */
  record Stale(Occupant occupant) implements Passable {}

  /** The holder was certainly dead, and its lock was removed. */
  record Cleared(Occupant occupant) implements Passable {}

  /** The holder is alive, or cannot be proven dead. */
  record Held(Occupant occupant) implements Blocking {}

  /**
   * The state could not be determined, so the lock counts as held.
   *
   * @param holder the apparent holder, or null
   */
  record Doubtful(String problem, @Nullable String holder) implements Blocking {}

  /**
   * The holder of a foreign lock.
   *
   * @param holder the tool's name for itself
   *
   * @param pid 0 if unknown
   *
   * @param host empty if unknown
   */
  record Occupant(String holder, long pid, String host, @Nullable Instant since) {
    /** In a few words, as {@code vc-executor (pid 12 on dev-1, since 2025-10-25T12:00:00Z)}. */
    @Override
    public String toString() {
      String process = pid == 0 ? "" : "pid " + pid;
      String place = host.isEmpty() ? process : (process.isEmpty() ? "on " : process + " on ") + host;
      String time = since == null ? "" : (place.isEmpty() ? "" : ", ") + "since " + Timestamps.format(since);
      return place.isEmpty() && time.isEmpty() ? holder : holder + " (" + place + time + ")";
    }
  }
}
