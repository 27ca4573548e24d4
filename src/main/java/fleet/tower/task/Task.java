package fleet.tower.task;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A task as read from its store.
 *
 * @param blockedReason why the task is blocked; null if it is not blocked or no reason was given
 * @param claim the current claim; present exactly while the task is in progress
 * @param attempt the number of claims so far, which is also the number of the current claim; it only grows
 */
public record Task(TaskId id, TaskSpec spec, TaskStatus status, @Nullable String blockedReason, @Nullable Claim claim,
    long attempt, Origin origin) {
  public Task {
    if ((claim != null) != (status == TaskStatus.IN_PROGRESS)) {
      throw new IllegalStateException(
          "task " + id + " is " + status + (claim == null ? " without a claim" : " with a claim"));
    }
  }

  /**
   * A lease on the task.
   *
   * @param token the name of the token that made the claim; null if none did
   * @param claimedAt when the claim was granted; renewals do not change it
   * @param isActive whether the claim had not expired when the store read it, by the clock that decides
   */
  public record Claim(Agent agent, @Nullable String token, Instant claimedAt, Instant expiresAt,
      Instant lastHeartbeatAt,
      boolean isActive) {}

  /**
   * The creator of a task and its version.
   *
   * @param version a number that grows with every change
   */
  public record Origin(Agent createdBy, Instant createdAt, long version) {}

  /** A task and the time when it was read, by the same clock as all its times. */
  public record View(Task task, Instant at) {
    /** How long other agents must wait for an active claim to expire, at least a second; zero if there is none. */
    public Duration remaining() {
      Claim claim = task.claim();
      if (claim == null || !claim.isActive()) {
        return Duration.ZERO;
      }
      Duration left = Duration.between(at, claim.expiresAt());
      return left.compareTo(Duration.ofSeconds(1)) < 0 ? Duration.ofSeconds(1) : left;
    }
  }
}
