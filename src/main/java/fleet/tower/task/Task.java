package fleet.tower.task;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A task as its store saw it.
 *
 * @param blockedReason why it is blocked; null where it is not, or nobody said
 * @param claim who is at it; there is one exactly while it is in progress
 * @param attempt how often it has been claimed; it only grows, and the current claim's number is this
 */
public record Task(TaskId id, TaskSpec spec, TaskStatus status, @Nullable String blockedReason, @Nullable Claim claim,
    long attempt, Origin origin) {
  public Task {
    requireNonNull(id);
    requireNonNull(spec);
    requireNonNull(status);
    requireNonNull(origin);
    if ((claim != null) != (status == TaskStatus.IN_PROGRESS)) {
      throw new IllegalStateException(
          "task " + id + " is " + status + (claim == null ? " by nobody" : " with a claim"));
    }
  }

  /**
   * A lease on the task.
   *
   * @param claimedAt when it was won; renewals do not move it
   * @param isActive whether it had not expired when the store looked, by the clock that decides
   */
  public record Claim(Agent agent, Instant claimedAt, Instant expiresAt, Instant lastHeartbeatAt, boolean isActive) {
    public Claim {
      requireNonNull(agent);
      requireNonNull(claimedAt);
      requireNonNull(expiresAt);
      requireNonNull(lastHeartbeatAt);
    }
  }

  /**
   * Where it comes from, and how often it has changed since.
   *
   * @param version grows with every change
   */
  public record Origin(Agent createdBy, Instant createdAt, long version) {
    public Origin {
      requireNonNull(createdBy);
      requireNonNull(createdAt);
    }
  }

  /** A task and the moment it was looked at, by the same clock as all its times. */
  public record View(Task task, Instant at) {

    /** How long others have to wait for an active claim to expire, at least a second; zero where there is none. */
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
