package fleet.tower.home;

import java.time.Duration;

import fleet.tower.mailbox.Mailboxes;
import fleet.tower.run.submit.QueuedRuns;
import fleet.tower.run.submit.RunQueueConsumers;

/** The queue of runs: submission, and the consumers of this process, once they are started. */
public record RunQueueHandle(QueuedRuns runs, RunQueueConsumers consumers, Mailboxes notes) {

  /** Stops the consumers; returns whether all have ended within that time. */
  public boolean close(Duration patience) {
    boolean haveEnded = consumers.dismiss(patience);
    notes.close();
    return haveEnded;
  }
}
