package fleet.tower.service.mcp.tool;

import fleet.tower.run.execute.RunHandle;
import fleet.tower.service.mcp.wire.Exchange;

/** Waits for the end of a run that a call of a tool requested, and answers the call. */
public interface ToolRunFollower {

  /**
   * Answers with the run when it ends; before that, as a task or with how to continue, when the time for the answer is
   * over.
   *
   * @param replayed whether the run belongs to an earlier, identical request
   * @param waitSecondsAskedFor the longest wait for the run's lock; it does not delay the answer
   */
  ToolResult follow(RunHandle run, boolean replayed, long waitSecondsAskedFor, Exchange exchange);
}
