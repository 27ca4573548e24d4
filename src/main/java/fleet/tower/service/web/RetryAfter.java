package fleet.tower.service.web;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.submit.Runs;

/**
 * Estimates when a refused request for a lock makes sense again: when the holder is likely to finish, by the median
 * duration of the successful runs of its intent; without any, after a third of the ttl, but at most a minute.
 */
final class RetryAfter {
  private static final int SAMPLES = 20;
  private static final long LONGEST_GUESS_SECONDS = 60;

  private final Runs runs;
  private final TimeSource time;

  RetryAfter(Runs runs, TimeSource time) {
    this.runs = runs;
    this.time = time;
  }

  /** The seconds until a lock that is held may be free. */
  long seconds(Decision.Blocked blocked) {
    Lease lease = blocked.lease();
    Age age = blocked.age();
    long usual = usualSeconds(lease.holder().intent());
    if (usual < 0) {
      return guess(lease.ttl().seconds() / 3);
    }
    Duration held = Duration.between(lease.createdAt(), lease.lastHeartbeatAt()).plus(age.sinceHeartbeat());
    return Math.max(1, usual - held.toSeconds());
  }

  /** The seconds until a freeze ends, or until it makes sense to look whether it was lifted. */
  long seconds(Instant until) {
    return guess(Duration.between(time.now(), until).plusMillis(999).toSeconds());
  }

  private static long guess(long seconds) {
    return Math.clamp(seconds, 1, LONGEST_GUESS_SECONDS);
  }

  /** The median duration of the newest successful runs; negative if there are none. */
  private long usualSeconds(String intent) {
    try {
      List<Long> past = new ArrayList<>();
      runs.read(new RunStore.Query(intent, RunStatus.SUCCEEDED, SAMPLES), run -> past.add(seconds(run)));
      past.sort(null);
      return past.isEmpty() ? -1 : past.get(past.size() / 2);
    } catch (StorageException unknown) {
      return -1;
    }
  }

  /** From the first step to the end, because the wait for the lock is no part of what the holder does. */
  private static long seconds(Run run) {
    Instant end = run.finishedAt() == null ? run.header().createdAt() : run.finishedAt();
    Instant start = run.begun().isEmpty() || run.begun().getFirst().startedAt() == null
        ? run.header().createdAt()
        : run.begun().getFirst().startedAt();
    return Duration.between(start, end).plusMillis(999).toSeconds();
  }
}
