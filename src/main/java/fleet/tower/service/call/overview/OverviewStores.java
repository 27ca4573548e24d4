package fleet.tower.service.call.overview;

import java.util.List;

import fleet.tower.intent.Catalogue;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.Locks;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.members.Hosts;
import fleet.tower.run.submit.Runs;
import fleet.tower.task.Tasks;

/** The stores that the overview shows. */
public record OverviewStores(Runs runs, Locks locks, HaltSource halts, Hosts hosts, Tasks tasks,
    Mailboxes mailboxes, Catalogue catalogue) {

  /** New sources, in the order in which they are read: runs are shown with the holders of their locks. */
  List<OverviewSource> sources(TimeSource time) {
    LockSource lockSource = new LockSource(locks);
    return List.of(lockSource, new HaltRows(halts), new RunSource(runs, locks, lockSource::lease),
        new InterruptedSource(runs, time),
        new HostSource(hosts), new TaskSource(tasks), new MailboxSource(mailboxes),
        new IntentSource(catalogue, runs.drifts()));
  }
}
