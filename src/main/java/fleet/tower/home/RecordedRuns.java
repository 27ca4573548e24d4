package fleet.tower.home;

import java.util.Optional;
import java.util.function.Supplier;

import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Locks;
import fleet.tower.run.Run;
import fleet.tower.run.RunRequests;
import fleet.tower.run.RunStore;
import fleet.tower.run.members.HolderEvidence;

/**
 * The recorded runs of a home, as its locks know them.
 *
 * @param store opens the records when they are first needed
 */
record RecordedRuns(Supplier<RunStore> store, HolderEvidence.Executors executors) implements Locks.KnownRuns {

  @Override
  public Optional<KnownRun> find(RequestId requestId) {
    return store.get().find(requestId)
        .map(run -> new KnownRun(run.header().origin().actor().name(), isAlive(run)));
  }

  /** A queued run that has not begun outlives its executor, because another one takes it. */
  private boolean isAlive(Run run) {
    return !run.status().isFinished() && ((run.isQueued() && run.isUnstarted())
        || executor(run.requestId()).filter(it -> !executors.isDead(it)).isPresent());
  }

  private Optional<String> executor(RequestId run) {
    return store.get().unfinished().stream().filter(it -> it.requestId().equals(run))
        .map(RunStore.Unfinished::executor).findFirst();
  }

  @Override
  public void abandon(RequestId run, Actor by) {
    executor(run).ifPresent(executor -> store.get().requests().put(run, executor, RunRequests.Kind.ABANDON, by));
  }
}
