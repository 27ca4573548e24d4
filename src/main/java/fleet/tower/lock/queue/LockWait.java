package fleet.tower.lock.queue;

import java.time.Duration;
import java.util.Optional;

/**
 * What somebody waits for.
 *
 * @param <T> the answer that ends a wait
 * @param <B> what stands in the way
 */
public interface LockWait<T, B> {

  /** Asks for it; nothing where somebody alive has it, so that it is worth waiting on. */
  Optional<T> attempt();

  /** Whether an attempt would have an answer now. Looks, and takes nothing. */
  boolean isToBeHad();

  /** How it ends for who has waited for as long as he was ready to. */
  WaitOutcome<T, B> atLimit();

  /** Tells that the wait goes on. */
  void tell(Duration waited, int position);
}
