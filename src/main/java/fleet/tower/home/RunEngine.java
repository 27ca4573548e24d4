package fleet.tower.home;

import java.time.Duration;

import fleet.tower.intent.Catalogue;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.run.Processes;
import fleet.tower.run.RunStore;
import fleet.tower.run.members.Membership;
import fleet.tower.run.schedule.Schedules;
import fleet.tower.run.submit.Runs;

/** What runs intents in this process, and what one needs to watch it. There is one of it in a process that has one. */
public record RunEngine(Catalogue catalogue, Runs runs, Schedules schedules, Processes processes, RunStore store,
    LeaseRenewers heartbeats, Membership membership) {

  /** Takes no new runs, gives those at work some time, cancels what is left, and returns when all is over. */
  public void close(Duration grace) {
    schedules.stop();
    runs.close(grace);
    processes.close();
    store.close();
    membership.close();
  }
}
