package fleet.tower.lock;

import static java.util.Objects.requireNonNull;

import java.util.Locale;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Occupancy;

/** What somebody saw who only looked. */
public record Sighting(LeaseName name, String path, Occupancy occupancy) {
  public Sighting {
    requireNonNull(name);
    requireNonNull(path);
    requireNonNull(occupancy);
  }

  /** The one word for it. */
  public State state() {
    return switch (occupancy) {
      case Occupancy.Vacant() -> State.FREE;
      case Occupancy.Held held -> held.isStale() ? State.STALE : State.ACTIVE;
      case Occupancy.Corrupt _ -> State.CORRUPT;
      case Occupancy.Unsupported _ -> State.UNSUPPORTED;
    };
  }

  /** The words that users see. */
  public enum State {
    FREE, ACTIVE, STALE, CORRUPT, UNSUPPORTED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
