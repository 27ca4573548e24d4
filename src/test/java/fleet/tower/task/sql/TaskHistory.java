package fleet.tower.task.sql;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;

/** The history of a task database, and whether two agents ever had one task at once. */
final class TaskHistory {
  /** The difference between the two clocks of one machine. */
  private static final long TOLERATED_MILLIS = 50;

  private final long ttlMillis;
  private final Map<TaskId, Hold> holds = new HashMap<>();
  private final Map<TaskId, Long> attempts = new HashMap<>();
  private final List<String> violations = new ArrayList<>();

  private TaskHistory(long ttlMillis) {
    this.ttlMillis = ttlMillis;
  }

  private record Hold(TaskEvent.About about, Instant lastAlive) {}

  /** The violations; empty if there are none. */
  static List<String> violations(List<TaskEvent> events, long ttlMillis) {
    TaskHistory history = new TaskHistory(ttlMillis);
    events.forEach(history::judge);
    return history.violations;
  }

  private void judge(TaskEvent event) {
    Hold hold = holds.get(event.taskId());
    switch (event.kind()) {
      case TASK_CREATED -> require(hold == null, "made while it is held", event);
      case TASK_CLAIMED -> claimed(event, hold);
      case TASK_HEARTBEAT -> {
        require(hold != null && hold.about().equals(event.about()), "a heartbeat of somebody else", event);
        holds.put(event.taskId(), new Hold(event.about(), event.at()));
      }
      case TASK_RELEASED, TASK_COMPLETED, TASK_BLOCKED -> {
        require(hold != null && hold.about().equals(event.about()), "ended by somebody else", event);
        holds.remove(event.taskId());
      }
      case TASK_LOST -> lost(event, hold);
    }
  }

  private void claimed(TaskEvent event, @Nullable Hold hold) {
    require(hold == null, "claimed while another one has it", event);
    long before = attempts.getOrDefault(event.taskId(), 0L);
    require(event.about().attempt() == before + 1, "the attempt after " + before, event);
    attempts.put(event.taskId(), event.about().attempt());
    holds.put(event.taskId(), new Hold(event.about(), event.at()));
  }

  private void lost(TaskEvent event, @Nullable Hold hold) {
    require(hold != null && hold.about().equals(event.about()), "lost by who had it not", event);
    boolean isExpired = hold != null
        && event.at().toEpochMilli() > hold.lastAlive().toEpochMilli() + ttlMillis - TOLERATED_MILLIS;
    require(isExpired, "lost before it had expired", event);
    holds.remove(event.taskId());
  }

  private void require(boolean isRight, String what, TaskEvent event) {
    if (!isRight) {
      violations.add(what + ": " + event);
    }
  }
}
