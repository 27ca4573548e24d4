package fleet.tower.service.mcp.task;

import java.time.Duration;

/**
 * How long the answer to a call is delayed at most, so that it can report the end of a run.
 *
 * @param taskAfter for a client that accepts a task instead
 * @param answerWithin for every other client
 */
public record FollowLimits(Duration taskAfter, Duration answerWithin) {
  public FollowLimits {
    if (taskAfter.isNegative() || answerWithin.isNegative()) {
      throw new IllegalStateException("a limit is negative: " + taskAfter + ", " + answerWithin);
    }
  }

  Duration of(boolean asTask) {
    return asTask && taskAfter.compareTo(answerWithin) < 0 ? taskAfter : answerWithin;
  }

  /** The limit of a wait for which the client gave a limit of its own. */
  public Duration atMost(Duration wanted) {
    return wanted.compareTo(answerWithin) < 0 ? wanted : answerWithin;
  }
}
