package fleet.tower.foreign;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Timestamps;

/** How a foreign lock stands: whether one may go on, and because of whom not. */
public sealed interface ForeignLockState {

  /** The state in a few words, which follow "it is". */
  default String describe() {
    return switch (this) {
      case Free _ -> "free";
      case Cleared(Occupant occupant) -> "free: what the dead " + occupant + " had left was removed";
      case Stale(Occupant occupant) -> "stale: its holder " + occupant + " is dead";
      case Held(Occupant occupant) -> "held by " + occupant;
      case Doubtful(String problem, var _) -> "in doubt, which counts as held: " + problem;
    };
  }

  /** One may go on. */
  sealed interface Passable extends ForeignLockState {}

  /** One may not. */
  sealed interface Blocking extends ForeignLockState {}

  /** Nobody has it. */
  record Free() implements Passable {}

  /** Its holder is certainly dead; what it left lies there still. */
  record Stale(Occupant occupant) implements Passable {}

  /** Its holder was certainly dead, and what it left was removed. */
  record Cleared(Occupant occupant) implements Passable {}

  /** Somebody has it, or nobody can say that they have not. */
  record Held(Occupant occupant) implements Blocking {}

  /**
   * It could not be found out, so it counts as held.
   *
   * @param holder whose it seems to be; null where not even that is known
   */
  record Doubtful(String problem, @Nullable String holder) implements Blocking {}

  /**
   * Who has a foreign lock.
   *
   * @param holder the tool, as it calls itself
   * @param pid 0 where it is not known
   * @param host empty where it is not known
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
