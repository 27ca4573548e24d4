package fleet.tower.lock;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

import fleet.tower.lease.Lease;
import fleet.tower.time.Scheduler;

/** How long somebody is ready to wait for a lock that is held, and who is told meanwhile. */
public record Wait(Duration limit, Scheduler scheduler, Progress progress) {
  /** The longest wait that is accepted. */
  public static final Duration MAX_LIMIT = Duration.ofHours(1);
  /** A look costs some microseconds; this often it is no load, and nobody notices the delay. */
  static final Duration BETWEEN_LOOKS = Duration.ofMillis(15);
  static final Duration BETWEEN_TELLINGS = Duration.ofSeconds(10);

  public Wait {
    requireNonNull(limit);
    requireNonNull(scheduler);
    requireNonNull(progress);
  }

  /** Told when the wait begins, and every ten seconds while it lasts. */
  public interface Progress {
    void waiting(Lease holder, Duration waited);
  }
}
