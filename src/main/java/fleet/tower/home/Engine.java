package fleet.tower.home;

import java.time.Duration;

import fleet.tower.dispatch.Runs;
import fleet.tower.heartbeat.Heartbeats;
import fleet.tower.intent.Catalogue;
import fleet.tower.roster.Membership;
import fleet.tower.run.Processes;
import fleet.tower.run.RunStore;
import fleet.tower.schedule.Schedules;

/** What runs intents in this process, and what one needs to watch it. There is one of it in a process that has one. */
public record Engine(Catalogue catalogue, Runs runs, Schedules schedules, Processes processes, RunStore store,
    Heartbeats heartbeats, Membership membership) {

  /** Takes no new runs, gives those at work some time, cancels what is left, and returns when all is over. */
  public void close(Duration grace) {
    schedules.stop();
    runs.close(grace);
    processes.close();
    store.close();
    membership.close();
  }
}
