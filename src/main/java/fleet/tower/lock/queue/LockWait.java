package fleet.tower.lock.queue;

import java.time.Duration;
import java.util.Optional;

/**
 * The target of a wait.
 *
 * @param <T> the answer that ends a wait
 *
 * @param <B> the obstacle
 */
public interface LockWait<T, B> {

  /** Requests the target; empty if a live holder blocks it, so that waiting is worthwhile. */
  Optional<T> attempt();

  /** Whether an attempt would be answered now. Changes nothing. */
  boolean isAvailable();

  /** The outcome of a wait that reached its limit. */
  WaitOutcome<T, B> atLimit();

  /** Reports that the wait continues. */
  void onWaiting(Duration waited, int position);
}
