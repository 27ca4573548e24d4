package fleet.tower.service.call.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.submit.Runs;

/**
 * Estimates when it makes sense to repeat a refused request for a lock: when the holder is likely to finish, by the
 * median duration of the successful runs of its intent; without any, after a third of the ttl, but at most a minute.
 */
public final class RetryAfter {
  private static final long LONGEST_GUESS_SECONDS = 60;

  private final Runs runs;
  private final TimeSource time;

  public RetryAfter(Runs runs, TimeSource time) {
    this.runs = runs;
    this.time = time;
  }

  /** The seconds until what a request waits for may be gone. */
  public long seconds(Decision.Obstacle obstacle) {
    return switch (obstacle) {
      case Decision.Blocked blocked -> held(blocked);
      case Decision.Frozen frozen -> seconds(frozen.until());
    };
  }

  private long held(Decision.Blocked blocked) {
    Lease lease = blocked.lease();
    Age age = blocked.age();
    Duration held = Duration.between(lease.createdAt(), lease.lastHeartbeatAt()).plus(age.sinceHeartbeat());
    return usual(lease.holder().intent()).map(usual -> Math.max(1, usual.minus(held).plusMillis(999).toSeconds()))
        .orElseGet(() -> guess(lease.ttl().seconds() / 3));
  }

  /** The seconds until a freeze ends, or until it makes sense to check whether it was lifted. */
  public long seconds(Instant until) {
    return guess(Duration.between(time.now(), until).plusMillis(999).toSeconds());
  }

  private static long guess(long seconds) {
    return Math.clamp(seconds, 1, LONGEST_GUESS_SECONDS);
  }

  private Optional<Duration> usual(String intent) {
    try {
      return runs.usualDuration(intent);
    } catch (StorageException unknown) {
      return Optional.empty();
    }
  }
}
