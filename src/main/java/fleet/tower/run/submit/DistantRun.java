package fleet.tower.run.submit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.LockView;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.StorageException;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.execute.RunServices;

/**
 * A run that another process executes, or that has finished. Its state, its heartbeats and its wait are read from the
 * records of the run, of its lock and of the queue for that lock.
 */
final class DistantRun implements RunHandle {
  /** Its executor reports an unchanged wait at the same interval. */
  private static final Duration BETWEEN_REPORTS = Duration.ofSeconds(10);

  private final Run first;
  private final Supplier<Run> source;
  private final RunServices services;
  private final DistantRuns watchers;
  private volatile Run latest;
  private long heartbeatTick = -1;
  private @Nullable Instant heartbeat;
  private @Nullable Waiting reported;

  /** @param first the run as it is known already */
  DistantRun(Run first, Supplier<Run> source, RunServices services, DistantRuns watchers) {
    this.first = first;
    this.latest = first;
    this.source = source;
    this.services = services;
    this.watchers = watchers;
  }

  @Override
  public Run run() {
    Run run = source.get();
    latest = run;
    return run;
  }

  @Override
  public void awaitChange(long seen) {
    watchers.awaitChange(first.requestId(), seen);
  }

  @Override
  public void wake() {
    watchers.wake(first.requestId());
  }

  @Override
  public long version() {
    return watchers.version(first.requestId());
  }

  @Override
  public boolean isElsewhere() {
    return true;
  }

  /** Read from the lock's record once in a while, not at each line of output. */
  @Override
  public synchronized Optional<Instant> lastHeartbeat() {
    long tick = watchers.ticks();
    if (tick != heartbeatTick) {
      heartbeatTick = tick;
      heartbeat = lease().filter(lease -> lease.lastHeartbeatAt().isAfter(lease.createdAt()))
          .map(Lease::lastHeartbeatAt).orElse(heartbeat);
    }
    return Optional.ofNullable(heartbeat);
  }

  /** The last renewal of its lock, which its executor made because of progress. */
  @Override
  public Optional<Instant> lastProgress() {
    return lease().map(Lease::lastHeartbeatAt);
  }

  private Optional<Lease> lease() {
    Run run = latest;
    if (run.status() != RunStatus.RUNNING || run.lock() == null) {
      return Optional.empty();
    }
    try {
      return services.locks().view(run.lock().name()).leaseState() instanceof LeaseState.Held held
          && held.lease().requestId().equals(run.requestId()) ? Optional.of(held.lease()) : Optional.empty();
    } catch (StorageException unknown) {
      return Optional.empty();
    }
  }

  @Override
  public synchronized Optional<Waiting> waiting() {
    Waiting before = reported;
    Optional<Waiting> now = present();
    if (now.isPresent() && (before == null || isNews(before, now.get()))) {
      reported = now.get();
    }
    return now.isPresent() ? Optional.ofNullable(reported) : Optional.empty();
  }

  private static boolean isNews(Waiting before, Waiting now) {
    return !cause(before).equals(cause(now)) || waited(now).compareTo(waited(before).plus(BETWEEN_REPORTS)) >= 0;
  }

  private static Object cause(Waiting waiting) {
    return switch (waiting) {
      case WaitingInLine(var _, Decision.Blocked(Lease lease, var _), var _, int position) ->
        List.of(lease.requestId(), position);
      case WaitingInLine(var _, Decision.Frozen frozen, var _, int position) -> List.of(frozen, position);
      case WaitingForTool(var refusal, var _) -> refusal;
    };
  }

  private static Duration waited(Waiting waiting) {
    return switch (waiting) {
      case WaitingInLine line -> line.waited();
      case WaitingForTool tool -> tool.waited();
    };
  }

  private Optional<Waiting> present() {
    Run run = latest;
    if (run.status() != RunStatus.WAITING) {
      return Optional.empty();
    }
    Run.ForeignWait foreign = run.foreignWait();
    return foreign == null
        ? inLine(run)
        : Optional.of(new WaitingForTool(foreign.refusal(), since(foreign.since())));
  }

  private Optional<Waiting> inLine(Run run) {
    LeaseName name = run.header().lockName();
    if (name == null) {
      return Optional.empty();
    }
    try {
      List<WaitingRequest> queue = services.locks().queue(name);
      for (int ahead = 0; ahead < queue.size(); ahead++) {
        if (queue.get(ahead).requestId().equals(run.requestId())) {
          return inLine(services.locks().view(name), queue.get(ahead), ahead);
        }
      }
      return Optional.empty();
    } catch (StorageException unknown) {
      return Optional.empty();
    }
  }

  private Optional<Waiting> inLine(LockView lock, WaitingRequest own, int ahead) {
    Decision.Obstacle obstacle = obstacle(lock);
    return obstacle == null
        ? Optional.empty()
        : Optional.of(new WaitingInLine(lock.name(), obstacle,
            own.since() == null ? Duration.ZERO : since(own.since()), ahead));
  }

  /** The time since a moment of another host's clock, which may be ahead of this one. */
  private Duration since(Instant moment) {
    Duration waited = Duration.between(moment, services.time().now());
    return waited.isNegative() ? Duration.ZERO : waited;
  }

  /** What a waiting request would find; null if nothing blocks it any more. */
  private static Decision.@Nullable Obstacle obstacle(LockView lock) {
    if (lock.freeze().refusal() instanceof Decision.Obstacle frozen) {
      return frozen;
    }
    return lock.leaseState() instanceof LeaseState.Held(Lease lease, var age)
        ? new Decision.Blocked(lease, age)
        : null;
  }
}
