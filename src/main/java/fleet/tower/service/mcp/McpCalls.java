package fleet.tower.service.mcp;

import fleet.tower.access.Places;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.home.Settings;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.operation.Operations;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.run.submit.QueuedRuns;
import fleet.tower.task.Tasks;

/** The calls that tools make. */
public record McpCalls(Operations operations, WaitingCalls waits) {

  /** The calls of a process without HTTP, which has one caller. */
  public static McpCalls of(Home home, RunEngine engine, QueuedRuns queued, Tasks tasks, Mailboxes mailboxes) {
    WaitingCalls waits = new WaitingCalls(Places.ofOneCaller(Settings.CALLS_MAX_WAITING.of(home.settings())));
    return new McpCalls(Operations.of(home, engine, queued, tasks, mailboxes, waits), waits);
  }
}
