package fleet.tower.run.execute;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.foreign.ForeignLocks;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.Locks;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.SyncGroup;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.policy.PolicyRules;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunListener;
import fleet.tower.run.RunStore;

/**
 * The services that runs use.
 *
 * @param log receives at once what the operator of this process should know about its runs
 */
public record RunServices(Locks locks, ForeignLocks foreign, HaltSource halts, PolicyRules rules,
    LeaseRenewers renewers, RunStore store,
    Processes processes, AuditLog audit, RunListener listener, TimeSource time, Scheduler scheduler,
    Consumer<String> log) {

  private static final Duration UNTIL_NEXT_ATTEMPT = Duration.ofSeconds(1);

  /** Looks at the world by the probes of intents. */
  public Prober prober(ExecutorIdentity executor) {
    return new Prober(processes, scheduler, executor.home());
  }

  /**
   * What keeps a run from beginning: a halt, a window or a limit of locks; null if nothing does. Nothing begins while
   * the halts cannot be read.
   *
   * @throws StorageException if they cannot
   */
  public Decision.@Nullable Barred barred(Run.Header run) {
    Decision.Halted halt = halts.inForce().refusal(run.doing());
    LeaseName lock = run.lockName();
    return halt != null
        ? halt
        : rules.refusal(run.doing()).or(() -> lock == null
            ? Optional.empty()
            : locks.limitReached(run.doing(), run.actor().name(), lock)).orElse(null);
  }

  /**
   * Records a run, unless it would exceed a quota of the policy.
   *
   * @param owner the executor that the run belongs to
   */
  public RunStore.Prior begin(RunStore.RequestKey claim, Run run, String owner, ExecutorIdentity recorder) {
    Halt.Subject subject = run.header().doing();
    store.exceeded(run, rules.observedQuotas(subject))
        .ifPresent(quota -> rules.observeQuota(run.requestId(), subject, quota.quota(), recorder.origin(run.header())));
    RunStore.Prior prior = store.begin(claim, run, owner, rules.quotas(subject));
    if (prior instanceof RunStore.OverQuota) {
      refused(run.header(), ErrorCode.QUOTA_EXCEEDED, recorder);
    }
    return prior;
  }

  /** Audits that a halt or the policy is against a run. A schedule itself records what prevents a run. */
  public void refused(Run.Header run, ErrorCode error, ExecutorIdentity by) {
    if (run.actor().door() != Door.SCHEDULE) {
      audit.append(new AuditEvent.RunRefused(run.requestId(), time.now(), run.intent(), run.lockName(), error.code(),
          by.origin(run)));
    }
  }

  /** Records a run, and reports its end to the listener even if the end could not be recorded. */
  public void save(Run run, boolean durable) {
    try {
      store.save(run, durable);
    } finally {
      if (run.status().isFinished()) {
        listener.ended(run);
      }
    }
  }

  /**
   * Records the end of a run as soon as the store can be reached again. Until then the record shows the run as it was
   * before its end, also to other hosts.
   */
  void saveLater(Run ended) {
    later(() -> store.save(ended, true));
  }

  /** Changes a record soon, and tries again until the store can be reached. */
  public void later(Runnable change) {
    scheduler.after(UNTIL_NEXT_ATTEMPT, () -> Thread.ofVirtual().name("tower-run-record").start(() -> {
      try {
        change.run();
      } catch (StorageException stillAway) {
        later(change);
      }
    }));
  }

  /**
   * Records the progress of a run. The run continues if that fails, because stopping it in the middle would not be
   * better.
   *
   * @return what went wrong; null for nothing
   */
  @Nullable
  String trySave(Run run, boolean durable) {
    try {
      save(run, durable);
      return null;
    } catch (StorageException e) {
      return e.publicMessage();
    }
  }

  /**
   * Makes durable what this thread has recorded.
   *
   * @return what went wrong; null for nothing
   */
  @Nullable
  String trySettle() {
    try {
      SyncGroup.settle();
      return null;
    } catch (StorageException e) {
      return e.publicMessage();
    }
  }
}
