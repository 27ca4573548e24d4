package fleet.tower.run.members;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ProcessProbe;
import fleet.tower.lease.Lease;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lock.HolderProbe;
import fleet.tower.lock.HolderProcess;
import fleet.tower.platform.StorageException;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;

/**
 * The evidence that holders of locks are gone.
 *
 * <ol>
 * <li>A process of this machine and its present boot is looked up: it is gone if its pid is free or has been reused.
 * <li>A process of this host before its last boot is gone.
 * <li>Any other holder, such as one in another container or on another host, is gone if it is a run that was marked as
 * interrupted, or whose executor is dead, or if it has been silent for as long as its host, which counts as dead.
 * <li>Everything else is unknown, in particular a lock that a client holds without a process.
 * </ol>
 */
public final class HolderEvidence implements HolderProbe {
  private final String hostId;
  private final ProcessProbe machine;
  private final Supplier<RunStore> runs;
  private final Executors executors;
  private ProcessProbe.@Nullable Realm realm;

  /**
   * @param runs the records of runs, opened only for holders that this machine knows nothing about
   */
  public HolderEvidence(String hostId, ProcessProbe machine, Supplier<RunStore> runs, Executors executors) {
    this.hostId = hostId;
    this.machine = machine;
    this.runs = runs;
    this.executors = executors;
  }

  /** What is known about the executors of other processes. Calls may throw {@link StorageException}. */
  public interface Executors {

    /** Whether an executor of a host may be dead; if not, its runs need not be looked up. */
    boolean mayBeDead(String hostId);

    /** Whether the executor with an id is known to be dead. */
    boolean isDead(String id);

    /**
     * Whether a host counts as dead, and with it a process that last renewed its lock at a given moment: a live one
     * would have renewed it again before its host counted as dead.
     */
    default boolean isHostDead(String hostId, Instant lastRenewal) {
      return false;
    }

    /** The executors of a single host. */
    static Executors of(Predicate<String> isAlive) {
      return new Executors() {
        @Override
        public boolean mayBeDead(String hostId) {
          return true;
        }

        @Override
        public boolean isDead(String id) {
          return !isAlive.test(id);
        }
      };
    }

    /** The executors of a fleet by their entries; one that has no entry any more may be alive. */
    static Executors of(Supplier<List<MemberStore.Entry>> entries) {
      return new Executors() {
        @Override
        public boolean mayBeDead(String hostId) {
          List<MemberStore.Entry> host = of(hostId);
          return host.isEmpty() || host.stream().anyMatch(entry -> !entry.isAlive());
        }

        @Override
        public boolean isDead(String id) {
          return entries.get().stream().anyMatch(entry -> entry.member().id().equals(id) && !entry.isAlive());
        }

        @Override
        public boolean isHostDead(String hostId, Instant lastRenewal) {
          List<MemberStore.Entry> host = of(hostId);
          return host.stream().noneMatch(MemberStore.Entry::isAlive)
              && host.stream().map(MemberStore.Entry::seenAt).max(Comparator.naturalOrder())
                  .filter(seen -> lastRenewal.plus(RenewalSchedule.DEFAULT_MAX_INTERVAL)
                      .isBefore(seen.plus(Membership.TTL)))
                  .isPresent();
        }

        private List<MemberStore.Entry> of(String hostId) {
          return entries.get().stream().filter(it -> it.member().hostId().equals(hostId)).toList();
        }
      };
    }
  }

  /** The identity of a process of this machine; empty if the system does not report it. */
  @Override
  public Optional<HolderProcess> identify(long pid) {
    OptionalLong start = machine.startTicks(pid);
    return start.isEmpty()
        ? Optional.empty()
        : realm().map(here -> new HolderProcess(here.bootId(), here.pidNamespace(), pid, start.getAsLong()));
  }

  private synchronized Optional<ProcessProbe.Realm> realm() {
    if (realm == null) {
      realm = machine.realm().orElse(null);
    }
    return Optional.ofNullable(realm);
  }

  @Override
  public Life examine(Lease lease) {
    Optional<HolderProcess> process = HolderProcess.of(lease);
    Optional<ProcessProbe.Realm> here = process.isEmpty() ? Optional.empty() : realm();
    if (here.isEmpty()) {
      return Life.UNKNOWN;
    }
    boolean isSameBoot = process.get().bootId().equals(here.get().bootId());
    if (isSameBoot && process.get().pidNamespace().equals(here.get().pidNamespace())) {
      return hasEnded(process.get()) ? Life.ENDED_HERE : Life.UNKNOWN;
    }
    if (!isSameBoot && lease.holder().hostId().equals(hostId)) {
      return Life.ENDED_BEFORE_BOOT;
    }
    return isOnDeadHost(lease) || isRunOfTheDead(lease) ? Life.ENDED_ELSEWHERE : Life.UNKNOWN;
  }

  private boolean hasEnded(HolderProcess process) {
    OptionalLong start = machine.startTicks(process.pid());
    if (start.isPresent() && start.getAsLong() != process.startTicks()) {
      return true;
    }
    // A process may be hidden from this user; only the system's own word that there is none proves its end.
    return switch (machine.life(process.pid())) {
      case GONE, ENDED -> true;
      case ALIVE, UNKNOWN -> false;
    };
  }

  private boolean isOnDeadHost(Lease lease) {
    try {
      String host = lease.holder().hostId();
      return !host.equals(hostId) && executors.isHostDead(host, lease.lastHeartbeatAt());
    } catch (StorageException unknown) {
      return false;
    }
  }

  private boolean isRunOfTheDead(Lease lease) {
    try {
      if (!executors.mayBeDead(lease.holder().hostId())) {
        return false;
      }
      RunStore store = runs.get();
      Optional<Run> run = store.find(lease.requestId());
      if (run.isEmpty() || run.get().status().isFinished()) {
        return run.filter(it -> it.status() == RunStatus.INTERRUPTED).isPresent();
      }
      return store.unfinished().stream().anyMatch(it -> it.requestId().equals(lease.requestId())
          && !it.executor().equals(RunStore.QUEUE) && executors.isDead(it.executor()));
    } catch (StorageException unknown) {
      return false;
    }
  }
}
