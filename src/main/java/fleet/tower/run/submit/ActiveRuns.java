package fleet.tower.run.submit;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HaltWatch;
import fleet.tower.run.RunRequests;
import fleet.tower.run.execute.ActiveRun;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.RunServices;

/** The runs that this executor executes. Each gets the requests of other processes and the halts that concern it. */
final class ActiveRuns {
  /** How often the halts are looked at while there are runs. */
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(400);

  private final RunServices services;
  private final Map<RequestId, ActiveRun> runs = new ConcurrentHashMap<>();
  private final RequestConsumer requests;
  private final HaltWatch halts;

  ActiveRuns(RunServices services, ExecutorIdentity executor) {
    this.services = services;
    this.requests = new RequestConsumer(executor.id(), services.store(), services.scheduler(), this::receive);
    this.halts = new HaltWatch(services.halts(), BETWEEN_LOOKS, services.scheduler(), this::obey);
  }

  Optional<ActiveRun> find(RequestId id) {
    return Optional.ofNullable(runs.get(id));
  }

  Optional<ActiveRun> unfinished(RequestId id) {
    return find(id).filter(run -> !run.handle().run().status().isFinished());
  }

  Collection<ActiveRun> all() {
    return runs.values();
  }

  void add(RequestId id, ActiveRun run) {
    runs.put(id, run);
    requests.begun();
    halts.begun();
  }

  boolean remove(RequestId id, ActiveRun run) {
    boolean isRemoved = runs.remove(id, run);
    if (isRemoved) {
      requests.ended();
      halts.ended();
    }
    return isRemoved;
  }

  /** Looks for requests now, because another executor that had the run may have left some. */
  void receive() {
    requests.look();
  }

  private void obey(HaltSource.InForce inForce) {
    runs.values().forEach(run -> inForce.strictest(run.handle().run().header().doing()).ifPresent(run::halt));
  }

  /**
   * Performs the request of another process. A request to end the run stays until it has ended, in case it changes its
   * executor.
   */
  private void receive(RunRequests.Pending request) {
    ActiveRun run = runs.get(request.run());
    if (run == null) {
      return;
    }
    switch (request.kind()) {
      case CANCEL -> run.cancel();
      case ABANDON -> run.abandon();
      case BEAT -> {
        run.beat();
        services.store().requests().remove(request);
      }
    }
  }
}
