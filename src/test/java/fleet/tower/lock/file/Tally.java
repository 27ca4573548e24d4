package fleet.tower.lock.file;

import java.util.EnumMap;
import java.util.Map;

/** How often the interesting things happened, so that a simulation cannot pass by doing nothing. */
final class Tally {
  /** The interesting things. */
  enum Event {
    GRANTED, STOLEN, KEPT, RENEWED, RENEWED_LATE, RELEASED, FORGOTTEN, FORCE_RELEASED, FREEZE, ALREADY_FROZEN, UNFREEZE, NOT_FROZEN, FREEZE_DAMAGED, RECOVERED_FROZEN, BLOCKED, STALE, FROZEN, UNREADABLE, UNDONE, LEFT_BEHIND, GONE, TAKEN, NOT_OWNER, OF_RUN, SPARED, RELEASE_FAILED, FAILED, NO_TURN, CRASH, CRASH_UNDER_GUARD, POWER_LOSS, FAULT, WALL_STEP, FOREIGN_CREATE, FOREIGN_BEAT, FOREIGN_REMOVE, OPERATOR_REMOVE, DISPLACED, WRITTEN_BACK, RESTORED, CRASH_IN_RESTORE, JOURNAL_REPLACED, RECOVERED_STALE, RECOVERED_CORRUPT, HALT_CHANGED, HALTED, STEP
  }

  private final Map<Event, Long> counts = new EnumMap<>(Event.class);

  void count(Event event) {
    counts.merge(event, 1L, Long::sum);
  }

  void addAll(Tally other) {
    other.counts.forEach((event, count) -> counts.merge(event, count, Long::sum));
  }

  long of(Event event) {
    return counts.getOrDefault(event, 0L);
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
