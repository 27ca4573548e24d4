package fleet.tower.run.execute;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.foreign.HeldLocks;
import fleet.tower.intent.Controls;
import fleet.tower.lease.Actor;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.HeartbeatCounts;
import fleet.tower.lease.keepalive.LeaseRenewer;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lease.keepalive.RenewalListener;
import fleet.tower.lock.Locks;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.OutsideBeats;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;

/**
 * One run at work, from the moment it may begin.
 *
 * <ol>
 * <li>Its lock is kept alive from now on.
 * <li>Its steps are performed, and undone if they fail: {@link StepSequence}.
 * <li>Other tools' locks are given back, while the run's own still keeps the next run from looking for them.
 * <li>The heartbeat ends, and only then the lock is given back, however undoing went, unless it was seen to be another's. A lock that
 * was given up because it could not be renewed is released too: the store compares its token.
 * <li>The end is recorded. A crash before that makes the run an interrupted one, although its lock may be free already.
 * </ol>
 */
public final class Execution {
  /** What a step may write to where nobody waits for its beats. */
  private static final String NO_BEAT_FILE = "/dev/null";
  private final PreparedRun prepared;
  private final LiveRun live;
  private final RunServices workshop;
  private final ExecutorIdentity executor;
  private final RunProgress pulse;
  private final Inbox inbox = new Inbox();

  public Execution(PreparedRun prepared, LiveRun live, RunServices workshop, ExecutorIdentity executor,
      RunProgress pulse) {
    this.prepared = prepared;
    this.live = live;
    this.workshop = workshop;
    this.executor = executor;
    this.pulse = pulse;
  }

  public LiveRun live() {
    return live;
  }

  /** Asks it to stop: what runs is ended, undone, and the lock is given back. A run that is over takes no notice. */
  public void cancel() {
    inbox.put(new RunSignal.Cancelled());
  }

  /**
   * Performs the run under its lock, or without one where it needs none.
   *
   * @param displaced from whom the lock was taken; null when nobody had it
   * @param foreign other tools' locks that the run holds
   */
  public void perform(@Nullable HeldLease tenure, @Nullable PreviousLock displaced, HeldLocks foreign) {
    try {
      performHolding(tenure, displaced, foreign);
    } finally {
      // Again, where something broke before their time; what was given back is not any more among them.
      foreign.release(this::warn);
    }
  }

  private void performHolding(@Nullable HeldLease tenure, @Nullable PreviousLock displaced, HeldLocks foreign) {
    live.update(run -> begun(run, tenure, displaced != null));
    if (displaced != null && displaced.lease() != null) {
      warn("lock " + displaced.lease().name() + " was taken from " + displaced.lease().describeHolder()
          + ", last alive " + Timestamps.format(displaced.lease().lastHeartbeatAt()));
    }
    Run.Header header = prepared.header();
    workshop.audit().append(new AuditEvent.RunStarted(header.requestId(), workshop.time().now(),
        header.subject().intent(), header.subject().version(), header.subject().mode().toString(),
        prepared.lock(), executor.origin(header)));
    if (asksForProgress()) {
      pulse.proveWork(outside());
    }
    pulse.beat();
    LeaseRenewer keeper = tenure == null ? null : keep(tenure);
    RunStatus status;
    try {
      status = new StepSequence(prepared, live, workshop,
          new PreparedRun.Place(executor.home(), pulse.path().orElse(NO_BEAT_FILE)), inbox, pulse, keeper,
          this::warnAtOnce).perform();
    } catch (RuntimeException | Error e) {
      // Whatever went wrong here, the lock is given back and the run gets an end.
      warn("the run failed inside the executor: " + e);
      status = RunStatus.FAILED;
    }
    foreign.release(this::warn);
    if (tenure != null && keeper != null) {
      keeper.stop();
      if (status != RunStatus.LOCK_LOST || !keeper.isLost()) {
        release(tenure.lease(), status);
      }
    }
    finish(status);
  }

  /** Gives the lock back of a run that does not begin after all. */
  public void giveUp(HeldLease tenure) {
    release(tenure.lease(), RunStatus.CANCELLED);
  }

  private Run begun(Run run, @Nullable HeldLease tenure, boolean stolen) {
    Run running = run.at(RunStatus.RUNNING);
    if (tenure == null) {
      return running;
    }
    Lease lease = tenure.lease();
    return running.under(new Run.LockNote(lease.name(), workshop.locks().pathOf(lease.name()), lease.ttl(),
        lease.token(), prepared.intent().controls().heartbeat(), stolen));
  }

  private boolean asksForProgress() {
    return prepared.intent().controls().heartbeat() == Controls.Heartbeat.PROGRESS;
  }

  /** A run whose beats cannot come from outside has its output and its steps to prove that it gets on. */
  private OutsideBeats.@Nullable Taking outside() {
    try {
      return executor.outside().take(prepared.header().requestId());
    } catch (StorageException e) {
      warn("beats from outside cannot be heard: " + e.publicMessage());
      return null;
    }
  }

  private LeaseRenewer keep(HeldLease tenure) {
    Renewal renewal = workshop.locks().renewal(actor(), tenure.lease());
    Vigil vigil = new Vigil();
    LeaseRenewer keeper = workshop.heartbeats().keep(tenure, workshop.locks().pathOf(tenure.lease().name()),
        actor(), asksForProgress() ? pulse.proving(renewal) : renewal, vigil);
    if (asksForProgress()) {
      ProgressSignal.Listening _ = live.heartbeat().orElseThrow().onBeat(() -> vigil.goOn(keeper));
    }
    return keeper;
  }

  /** Watches over the lock of the run. */
  private final class Vigil implements RenewalListener {
    private final AtomicBoolean isStuck = new AtomicBoolean();
    private final HeartbeatWarnings warnings = new HeartbeatWarnings(Execution.this::warnAtOnce,
        Execution.this::log);

    @Override
    public void renewed(LeaseTerm renewed) {
      isStuck.set(false);
      live.beat(renewed.lastHeartbeatAt());
      warnings.renewed();
    }

    @Override
    public void failed(int consecutiveFailures, String error) {
      noteFailure(consecutiveFailures, error);
      warnings.failed(consecutiveFailures, error);
    }

    @Override
    public void withheld(int consecutiveFailures, String error) {
      isStuck.set(true);
      noteFailure(consecutiveFailures, error);
      warnings.heldBack(consecutiveFailures, error);
    }

    private void noteFailure(int consecutiveFailures, String error) {
      live.beatFailed(new RunHandle.HeartbeatFailure(workshop.time().now(), consecutiveFailures,
          prepared.secrets().mask(error)));
    }

    @Override
    public void doubted(LeaseTerm doubted, HeartbeatCounts counts) {
      inbox.put(new RunSignal.LockDoubted(doubted, counts));
    }

    @Override
    public void lost(Renewal.Lost loss) {
      inbox.put(new RunSignal.LockLost());
    }

    /** Work that was stuck and gets on has a lock that is old, so its renewal does not wait for its time. */
    private void goOn(LeaseRenewer keeper) {
      if (isStuck.compareAndSet(true, false)) {
        workshop.scheduler().after(Duration.ZERO, keeper::renew);
      }
    }
  }

  private void release(Lease lease, RunStatus status) {
    LeaseName name = lease.name();
    RequestId by = lease.requestId();
    Locks.Result result = status.result() == null ? Locks.Result.FAILURE : status.result();
    try {
      ReleaseOutcome outcome = workshop.locks().release(actor(), name, lease.owner(), lease.token(), result,
          live.run().progress().failureStep());
      switch (outcome) {
        case ReleaseOutcome.Released _ -> {
        }
        case ReleaseOutcome.Absent _ -> warn("the lock was gone before it was given back: somebody removed it");
        case ReleaseOutcome.NotOwner(Lease holder) -> warn(
            "the lock was lost before it was given back: held by " + holder.requestId());
        case ReleaseOutcome.Unreadable _ -> warn("the lock could not be given back: it cannot be read any more");
        case ReleaseOutcome.Failed(Lease _, Instant _, String error) -> warn(releaseFailed(name, error));
      }
    } catch (StorageException e) {
      String error = e.publicMessage();
      workshop.audit().append(new AuditEvent.LockReleaseFailed(by, workshop.time().now(), name,
          workshop.locks().pathOf(name), error, executor.origin(prepared.header())));
      warn(releaseFailed(name, error));
    }
  }

  private String releaseFailed(LeaseName name, String error) {
    return "the lock could not be given back: " + error + "; free it with `tower force-release " + name + "` when "
        + workshop.locks().pathOf(name) + " can be written, or let it go stale";
  }

  private void warnAtOnce(String warning) {
    warn(warning);
    log(warning);
  }

  /** Begins as the log of the service expects it of what is about a run. */
  private void log(String words) {
    workshop.log().accept("run " + prepared.header().requestId() + ", " + prepared.secrets().mask(words));
  }

  private Actor actor() {
    return prepared.header().origin().actor();
  }

  private void warn(String warning) {
    live.update(run -> run.warned(prepared.secrets().mask(warning)));
  }

  private void finish(RunStatus status) {
    Run end = live.run().finished(status, workshop.time().now());
    String notKept = workshop.keep(end, true);
    Run told = notKept == null ? end : end.warned("the end of the run could not be recorded: " + notKept);
    workshop.audit().append(new AuditEvent.RunFinished(end.requestId(), workshop.time().now(),
        end.header().subject().intent(), status.toString(), String.valueOf(status.result()),
        end.progress().failureStep(), undone(end), executor.origin(end.header())));
    live.update(_ -> told);
  }

  private static String undone(Run run) {
    if (run.progress().rollbackSkipped() != null) {
      return "skipped: " + run.progress().rollbackSkipped();
    }
    if (run.progress().rollback().isEmpty()) {
      return "none";
    }
    return run.progress().rollback().stream().allMatch(piece -> piece.status() == StepRecord.Status.SUCCEEDED)
        ? "success"
        : "failure";
  }
}
