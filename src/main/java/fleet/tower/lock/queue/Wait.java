package fleet.tower.lock.queue;

import java.time.Duration;

import fleet.tower.lease.Decision;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.Scheduler;

/** How long a caller is willing to wait, who receives its progress, and what cancels it. */
public record Wait(Duration limit, Scheduler scheduler, Progress progress, Cancellation cancellation) {
  /** The maximum accepted wait. */
  public static final long MAX_SECONDS = 3_600;
  public static final Duration MAX_LIMIT = Duration.ofSeconds(MAX_SECONDS);

  /** The position of a waiter that cannot see the queue. */
  public static final int UNKNOWN_POSITION = -1;

  /** A wait that is never cancelled. */
  public Wait(Duration limit, Scheduler scheduler, Progress progress) {
    this(limit, scheduler, progress, new Cancellation());
  }

  /** Receives progress when the wait begins, and every ten seconds while it lasts. */
  public interface Progress {

    /**
     * The wait continues.
     *
     * @param obstacle a holder or a freeze
     *
     * @param position the number of waiters ahead; 0 for the next one, {@link Wait#UNKNOWN_POSITION} if unknown
     */
    void waiting(Decision.Obstacle obstacle, Duration waited, int position);
  }
}
