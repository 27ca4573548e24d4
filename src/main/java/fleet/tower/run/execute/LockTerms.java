package fleet.tower.run.execute;

import java.time.Duration;

/**
 * How a run requests its lock.
 *
 * @param force whether it may take the lock from a dead holder
 * @param patience how long it waits for a live holder; zero for not at all
 */
public record LockTerms(boolean force, Duration patience) {
  public static final LockTerms PLAIN = new LockTerms(false, Duration.ZERO);

  /** The terms that identify a request; one that waits longer is the same request. */
  public LockTerms withoutPatience() {
    return new LockTerms(force, Duration.ZERO);
  }
}
