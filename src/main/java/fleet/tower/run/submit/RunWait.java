package fleet.tower.run.submit;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lock.LockView;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.StorageException;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.execute.RunServices;

/** What a waiting run waits for, as far as the record shows it; its executor may be another process or host. */
public sealed interface RunWait {

  /**
   * It waits in the queue of runs for an executor.
   *
   * @param before the number of runs that were queued before it and wait too
   * @param absence why no live host takes it; null if one does, or if that is not known
   * @param barred the halt or rule that keeps it there; null if none does
   */
  record ForExecutor(@Nullable LeaseName lockName, int before, @Nullable String absence,
      Decision.@Nullable Barred barred) implements RunWait {}

  /**
   * It waits for its lock.
   *
   * @param ahead the requests before it in the queue of the lock; all requests of the queue if it is not in there
   * @param isInQueue whether it has its place in the queue already
   */
  record ForLock(LockView lock, List<WaitingRequest> ahead, boolean isInQueue) implements RunWait {
    public ForLock {
      ahead = List.copyOf(ahead);
    }
  }

  /**
   * It has its own lock, if it takes one, and waits for another tool's lock.
   *
   * @param refusal why it does not have the other tool's lock
   */
  record ForTool(@Nullable LeaseName lockName, ForeignLock.Refusal refusal) implements RunWait {}

  /** The record does not show it, or could not be read. */
  record Unknown(@Nullable LeaseName lockName, String problem) implements RunWait {}

  /** The wait of a run; empty if it does not wait, or is about to begin. */
  static Optional<RunWait> of(Run run, RunHandle handle, RunServices services, EligibleHosts hosts) {
    if (run.status() != RunStatus.WAITING) {
      return Optional.empty();
    }
    LeaseName name = run.header().lockName();
    if (handle.waiting().orElse(null) instanceof RunHandle.WaitingForTool(var refusal, var _)) {
      return Optional.of(new ForTool(name, refusal));
    }
    try {
      List<RunStore.Unfinished> queued = run.isQueued() ? queued(services.store()) : List.of();
      for (int before = 0; before < queued.size(); before++) {
        if (queued.get(before).requestId().equals(run.requestId())) {
          return Optional.of(new ForExecutor(name, before, absence(run, hosts), services.barred(run.header())));
        }
      }
      return name == null ? Optional.empty() : ofLock(run, services.locks().view(name), services);
    } catch (StorageException e) {
      return Optional.of(new Unknown(name, e.publicMessage()));
    }
  }

  private static @Nullable String absence(Run run, EligibleHosts hosts) {
    Run.Declaration declaration = run.header().declaration();
    return declaration == null ? null : hosts.absence(run.intent(), declaration).orElse(null);
  }

  private static List<RunStore.Unfinished> queued(RunStore store) {
    return store.unfinished().stream().filter(run -> run.executor().equals(RunStore.QUEUE)).toList();
  }

  private static Optional<RunWait> ofLock(Run run, LockView lock, RunServices services) {
    Owner owner = Owner.ofRun(run.requestId(), run.actor().name());
    if (lock.leaseState() instanceof LeaseState.Held held && held.lease().isHeldBy(owner, FencingToken.NONE)) {
      return Optional.empty();
    }
    List<WaitingRequest> queue = services.locks().queue(lock.name());
    List<WaitingRequest> ahead = queue.stream().takeWhile(it -> !it.requestId().equals(run.requestId())).toList();
    return Optional.of(new ForLock(lock, ahead, ahead.size() < queue.size()));
  }
}
