package fleet.tower.lock.queue;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

import fleet.tower.lease.Decision;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.wait.Cancellation;

/** How long somebody is ready to wait for what is held, who is told meanwhile, and what ends the wait early. */
public record Wait(Duration limit, Scheduler scheduler, Progress progress, Cancellation cancellation) {
  /** The longest wait that is accepted. */
  public static final Duration MAX_LIMIT = Duration.ofHours(1);

  /** The position of one who cannot see the line. */
  public static final int UNKNOWN_POSITION = -1;

  public Wait {
    requireNonNull(limit);
    requireNonNull(scheduler);
    requireNonNull(progress);
    requireNonNull(cancellation);
  }

  /** A wait that nobody cancels. */
  public Wait(Duration limit, Scheduler scheduler, Progress progress) {
    this(limit, scheduler, progress, new Cancellation());
  }

  /** Told when the wait begins, and every ten seconds while it lasts. */
  public interface Progress {

    /**
     * It goes on.
     *
     * @param obstacle what is in the way: somebody who holds it, or a freeze
     * @param position how many others come before this one; 0 for who is next, {@link Wait#UNKNOWN_POSITION}
     *        where nobody can tell
     */
    void waiting(Decision.Obstacle obstacle, Duration waited, int position);
  }
}
