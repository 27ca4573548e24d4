package fleet.tower.service.mcp.task;

import java.time.Duration;

import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.operation.Handler;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.service.mcp.wire.Exchange;

/** The progress notifications of a call that waits for a lock itself: its place in line, each time with a change. */
public final class LockWaitNotes implements Handler.Progress {
  private final Exchange exchange;
  private String last = "";
  private long sent;

  public LockWaitNotes(Exchange exchange) {
    this.exchange = exchange;
  }

  @Override
  public void waiting(LeaseName lock, Decision.Obstacle obstacle, Duration waited, int position) {
    String message = Excerpt.line(RunTaskText.waiting(new RunHandle.WaitingInLine(lock, obstacle, waited, position)),
        ProgressNotes.MAX_LENGTH);
    if (!message.equals(last)) {
      last = message;
      exchange.request().progressToken().ifPresent(token -> exchange.send("notifications/progress",
          JsonWriter.line().raw("progressToken", token).put("progress", ++sent).put("message", message)));
    }
  }
}
