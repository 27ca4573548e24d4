package fleet.tower.run.submit;

import java.util.function.Supplier;

import fleet.tower.platform.StorageException;
import fleet.tower.run.Run;

/**
 * A run as the store shows it, or as it was shown last while the store cannot be reached: to a follower, that is a run
 * without a change.
 */
final class LastKnownRun implements Supplier<Run> {
  private final Supplier<Run> store;
  private volatile Run last;

  LastKnownRun(Run run, Supplier<Run> store) {
    this.last = run;
    this.store = store;
  }

  @Override
  public Run get() {
    try {
      Run now = store.get();
      last = now;
      return now;
    } catch (StorageException e) {
      if (!e.isOutage()) {
        throw e;
      }
      return last;
    }
  }
}
