package fleet.tower.lease.keepalive;

import org.jspecify.annotations.Nullable;

/**
 * How the heartbeats of one lease have gone.
 *
 * @param beats how many there were, those that failed included
 * @param failures how many of them failed
 * @param consecutiveFailures how many have failed since the last one that succeeded
 * @param lastError why the last one failed; null when it succeeded
 */
public record HeartbeatCounts(long beats, long failures, int consecutiveFailures, @Nullable String lastError) {
  static final HeartbeatCounts NONE = new HeartbeatCounts(0, 0, 0, null);

  HeartbeatCounts succeeded() {
    return new HeartbeatCounts(beats + 1, failures, 0, null);
  }

  HeartbeatCounts failed(String error) {
    return new HeartbeatCounts(beats + 1, failures + 1, consecutiveFailures + 1, error);
  }

  /** Why the lease is not renewed, for a sentence. */
  public String error() {
    return lastError == null ? "no heartbeat was tried" : lastError;
  }
}
