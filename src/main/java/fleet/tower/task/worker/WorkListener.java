package fleet.tower.task.worker;

import org.jspecify.annotations.Nullable;

import fleet.tower.task.TaskCommand;

/** Told how a worker comes along. */
public interface WorkListener {

  void claimed(Claims.Claimed claimed);

  /** The task is closed; {@code reason} is null where there is nothing to tell. */
  void closed(Claims.Claimed claimed, TaskCommand.Ending ending, @Nullable String reason);

  /** Who did the task has closed it, or given it back, by himself. */
  void settled(Claims.Claimed claimed);

  /** The task is in the queue again. */
  void released(Claims.Claimed claimed, String why);

  /** The claim is somebody else's, or nobody's; what was done for the task since does not count. */
  void lost(Claims.Claimed claimed);

  /** It is not known whether a heartbeat arrived, for the {@code consecutiveFailures}th time in a row. */
  void heartbeatFailed(Claims.Claimed claimed, int consecutiveFailures, String error);
}
