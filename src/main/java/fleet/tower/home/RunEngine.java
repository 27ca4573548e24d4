package fleet.tower.home;

import java.time.Duration;

import fleet.tower.intent.Catalogue;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.run.RunStore;
import fleet.tower.run.StepLogs;
import fleet.tower.run.members.Membership;
import fleet.tower.run.output.SharedOutput;
import fleet.tower.run.submit.Runs;
import fleet.tower.run.submit.Schedules;

/** The components that execute intents in this process, and those to observe it. A process has at most one. */
public record RunEngine(Catalogue catalogue, Runs runs, Schedules schedules, SharedOutput output, RunStore store,
    LeaseRenewers heartbeats, Membership membership) {

  /** The output of all runs, wherever they are executed. */
  public StepLogs logs() {
    return output.logs();
  }

  /** Accepts no new runs, gives running ones some time, cancels the rest, and returns when all have ended. */
  public void close(Duration grace) {
    schedules.stop();
    runs.close(grace);
    output.stop();
    output.processes().close();
    store.close();
    membership.close();
  }
}
