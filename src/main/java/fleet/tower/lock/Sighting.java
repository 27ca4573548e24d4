package fleet.tower.lock;

import static java.util.Objects.requireNonNull;

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
  public Occupancy.State state() {
    return occupancy.state();
  }
}
