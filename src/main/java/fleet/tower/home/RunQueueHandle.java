package fleet.tower.home;

import java.time.Duration;

import fleet.tower.mailbox.Mailboxes;
import fleet.tower.run.queue.RunQueueConsumers;
import fleet.tower.run.submit.QueuedRuns;

/** The queue of runs: how one puts a run into it, and the workers of this process that take runs out, once they are started. */
public record RunQueueHandle(QueuedRuns runs, RunQueueConsumers hands, Mailboxes notes) {

  /** Takes no further run; answers whether all workers have gone within that time. */
  public boolean close(Duration patience) {
    boolean haveGone = hands.dismiss(patience);
    notes.close();
    return haveGone;
  }
}
