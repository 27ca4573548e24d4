package fleet.tower.doctor;

import java.util.ArrayList;
import java.util.List;

import fleet.tower.freeze.Frost;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Sighting;

/** Locks that need somebody. */
public final class LocksExamination implements Examination {
  private final LockStore store;

  public LocksExamination(LockStore store) {
    this.store = store;
  }

  @Override
  public List<Finding> examine() {
    List<Finding> findings = new ArrayList<>();
    List<Sighting> sightings = store.list();
    sightings.forEach(sighting -> examine(sighting, findings));
    return findings.isEmpty()
        ? List.of(Finding.ok("locks", sightings.isEmpty() ? "none held" : sightings.size() + " held, all alive"))
        : findings;
  }

  private static void examine(Sighting sighting, List<Finding> findings) {
    String name = sighting.name().value();
    if (sighting.frost() instanceof Frost.Unreadable(String path, String problem)) {
      findings.add(Finding.fail("corrupt freeze", path + " cannot be read as a freeze, so lock " + name
          + " counts as frozen: " + problem, "lift it with `tower unfreeze " + name + "`"));
    }
    switch (sighting.state()) {
      case ACTIVE, FREE -> {
      }
      case STALE -> findings.add(Finding.warn("stale lock", "lock " + name + " is stale: its holder is gone",
          "take it with `tower lock " + name + " --force-lock`, or free it with `tower force-release " + name
              + " --reason TEXT`"));
      case CORRUPT, UNSUPPORTED -> findings.add(Finding.fail(sighting.state() + " lock",
          sighting.path() + " cannot be read as a lock, so nobody can have it", "ask `tower why " + name + "`"));
    }
  }
}
