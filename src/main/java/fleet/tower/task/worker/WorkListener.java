package fleet.tower.task.worker;

import org.jspecify.annotations.Nullable;

import fleet.tower.task.TaskCommand;

/** Receives the progress of a worker. */
public interface WorkListener {

  void claimed(Claims.Claimed claimed);

  /** The task is closed; {@code reason} may be null. */
  void closed(Claims.Claimed claimed, TaskCommand.Ending ending, @Nullable String reason);

  /** The task was closed or released while it was being done. */
  void settled(Claims.Claimed claimed);

  /** The task is available again. */
  void released(Claims.Claimed claimed, String why);

  /** The claim has expired, or another agent has it; the work done since does not count. */
  void lost(Claims.Claimed claimed);

  /** The claim was not renewed, for the {@code consecutiveFailures}th time in a row. */
  void heartbeatFailed(Claims.Claimed claimed, int consecutiveFailures, String error);
}
