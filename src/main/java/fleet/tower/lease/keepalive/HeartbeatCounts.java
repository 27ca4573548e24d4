package fleet.tower.lease.keepalive;

import org.jspecify.annotations.Nullable;

/**
 * The counts of the heartbeats of one lease.
 *
 * @param beats all heartbeats, including those that failed
 * @param failures heartbeats that failed
 * @param consecutiveFailures failures since the last success
 * @param lastError the error of the last heartbeat; null when it succeeded
 */
public record HeartbeatCounts(long beats, long failures, int consecutiveFailures, @Nullable String lastError) {
  static final HeartbeatCounts NONE = new HeartbeatCounts(0, 0, 0, null);

  HeartbeatCounts succeeded() {
    return new HeartbeatCounts(beats + 1, failures, 0, null);
  }

  HeartbeatCounts failed(String error) {
    return new HeartbeatCounts(beats + 1, failures + 1, consecutiveFailures + 1, error);
  }

  /** The reason why the lease is not renewed, for a sentence. */
  public String error() {
    return lastError == null ? "no heartbeat was tried" : lastError;
  }
}
