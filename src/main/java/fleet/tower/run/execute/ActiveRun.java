package fleet.tower.run.execute;

import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.intent.Controls;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest.Reentry;
import fleet.tower.lock.Halt;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.SyncGroup;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.Observation;
import fleet.tower.run.OutsideBeats;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.StepRecord;

/**
 * A run that this executor has, from its record to its end.
 *
 * <ol>
 * <li>Its locks are taken: {@link RunLocks}. A new request without patience has its answer at once, and is forgotten if
 * it is refused; any other run does this on a virtual thread, and is recorded as refused.
 * <li>A run from the queue is confirmed to belong to this executor, once it has its lock, and every run that may have
 * waited once it has all its locks; the end of its wait is recorded durably. If this executor was believed dead,
 * another may have the run, and this one gives it up.
 * <li>The halts are read again, and the probe of its intent looks. If its request names a plan, the run is compared with
 * it once more: {@link LastCheck}. A run that is halted, or would do something else, is recorded as refused; one from
 * the queue that is halted returns there.
 * <li>Its own lock is renewed from now on: {@link LockRenewal}.
 * <li>Its steps are performed, and undone if they fail: {@link StepSequence}.
 * <li>Other tools' locks are released while its own lock still keeps the next run from checking them.
 * <li>The renewal stops, and only then its own lock is released, unless it is known to belong to another holder. A lock
 * that was given up because it could not be renewed is released too: the store compares its token.
 * <li>In a fleet, its output is copied to the database.
 * <li>Its end is recorded. A crash before that leaves an interrupted run, whose lock may be free already.
 * </ol>
 */
public final class ActiveRun {
  /** The file that steps may write to if heartbeats from outside have no effect. */
  private static final String NO_BEAT_FILE = "/dev/null";

  private final RunContext context;
  private final RunServices services;
  private final RunLocks locks;
  private final LastCheck check;
  private final RequestId id;
  private final boolean isQueued;
  private final boolean mayHaveWaited;
  private final @Nullable String reason;
  private final Cancellation waitCancellation = new Cancellation();
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile boolean returnsToQueue;
  private volatile boolean isCancelled;
  private volatile @Nullable Halt halted;
  private volatile boolean isPassedOn;

  /**
   * @param reentry whether an executor that died may have taken the lock for the same run
   * @param reason why the run was requested, for the audit log; null if no reason was given
   */
  public ActiveRun(PreparedRun prepared, LockTerms terms, Reentry reentry, @Nullable String reason, LastCheck check,
      RunServices services, ExecutorIdentity executor) {
    this.check = check;
    this.isQueued = prepared.header().order() != null;
    this.mayHaveWaited = isQueued || RunLocks.mayWait(prepared, terms.patience());
    this.reason = reason;
    this.context = RunContext.of(prepared, mayHaveWaited, services, executor);
    this.services = services;
    this.locks = new RunLocks(context, terms, reentry, reason);
    this.id = context.id();
  }

  public RunHandle handle() {
    return context.live();
  }

  /** Returns why the request would be refused now; null if it may proceed. Writes and takes nothing. */
  public RunLocksOutcome.@Nullable Refusal check() {
    return locks.check();
  }

  /** Whether {@link #check} found its lock held by a process that is gone. */
  public boolean holderIsGone() {
    return locks.holderIsGone();
  }

  /**
   * Starts a new run.
   *
   * @param whenOver called when this executor no longer has the run
   * @return why it was refused, and forgotten; null if it has begun, waits for its lock, or is recorded as refused
   */
  public RunLocksOutcome.@Nullable Refusal start(Runnable whenOver) {
    if (locks.mayWait()) {
      SyncGroup.settle();
      takeLocksThenPerform(whenOver);
      return null;
    }
    return switch (takeLocks()) {
      case RunLocksOutcome.Taken taken -> {
        settle(taken);
        context.progress().start();
        performOnThread(whenOver, taken);
        yield null;
      }
      case RunLocksOutcome.Refusal refusal -> {
        try {
          services.store().forget(id);
        } finally {
          whenOver.run();
        }
        yield refusal;
      }
      case RunLocksOutcome.NotBegun(var why) -> {
        try {
          refuse(why);
        } finally {
          leave(whenOver);
        }
        yield null;
      }
      case RunLocksOutcome.NotWaited _,RunLocksOutcome.Cancelled _,RunLocksOutcome.PassedOn _ ->
        throw new IllegalStateException(
            "a new request without patience neither waits nor changes its executor");
    };
  }

  /** No step begins before the run and its lock are durable. */
  private void settle(RunLocksOutcome.Taken taken) {
    boolean isSettled = false;
    try {
      SyncGroup.settle();
      isSettled = true;
    } finally {
      if (!isSettled) {
        giveBack(taken);
      }
    }
  }

  /** Starts a run from the queue; it takes its locks on its own thread. */
  public void startQueued(Runnable whenOver) {
    takeLocksThenPerform(whenOver);
  }

  /** Waits on a virtual thread, because thousands of runs may wait. */
  private void takeLocksThenPerform(Runnable whenOver) {
    Thread.ofVirtual().name("tower-run-wait").start(() -> {
      RunLocksOutcome.Taken taken = null;
      try {
        context.progress().start();
        taken = takenAfterWait();
      } catch (RuntimeException | Error e) {
        fail(e);
      } finally {
        if (taken == null) {
          leave(whenOver);
        }
      }
      if (taken != null) {
        performOnThread(whenOver, taken);
      }
    });
  }

  private void performOnThread(Runnable whenOver, RunLocksOutcome.Taken taken) {
    try {
      services.processes().execute(() -> {
        try {
          perform(taken);
        } catch (RuntimeException | Error e) {
          fail(e);
        } finally {
          leave(whenOver);
        }
      });
    } catch (RuntimeException | Error noThread) {
      try {
        giveBack(taken);
        fail(noThread);
      } finally {
        leave(whenOver);
      }
    }
  }

  /** No caller may wait forever for a run that no thread performs any more. */
  private void fail(Throwable e) {
    Run broken = context.run().withWarning("the run failed inside the executor: " + e);
    end(broken.finished(RunStatus.FAILED, services.time().now()));
  }

  /** The run is removed from the active runs first, so that its watchers see its end in the store. */
  private void leave(Runnable whenOver) {
    try {
      context.progress().close();
    } finally {
      whenOver.run();
      over.countDown();
    }
  }

  private RunLocksOutcome takeLocks() {
    RunLocksOutcome outcome = locks.take(waitCancellation, lease -> isQueued && isAnotherExecutors(lease));
    return outcome instanceof RunLocksOutcome.Taken taken ? checked(renewed(taken)) : outcome;
  }

  /** A probe may take longer than its lock is valid. */
  private RunLocksOutcome.Taken renewed(RunLocksOutcome.Taken taken) {
    return taken.lease() == null || taken.renewal() != null || context.prepared().intent().probe() == null
        ? taken
        : new RunLocksOutcome.Taken(taken.lease(), taken.previous(), taken.foreign(),
            new LockRenewal(context, taken.lease()));
  }

  /** Releases the locks unless the run may begin. */
  private RunLocksOutcome checked(RunLocksOutcome.Taken taken) {
    boolean mayBegin = false;
    try {
      services.rules().settle();
      Decision.Barred barred = services.barred(context.prepared().header());
      RunRefusal why = barred == null ? check.refusal(look()) : new RunRefusal.Barred(barred);
      mayBegin = why == null;
      return why == null ? taken : new RunLocksOutcome.NotBegun(why);
    } finally {
      if (!mayBegin) {
        giveBack(taken);
      }
    }
  }

  /** What the probe sees before the first step, which is kept with the run; null if there is no probe. */
  private @Nullable Observation look() {
    Observation seen = services.prober(context.executor()).look(context.prepared());
    if (seen != null) {
      Run run = context.live().update(it -> it.withProbed(probed -> probed.seenBefore(seen)));
      if (run.status() == RunStatus.RUNNING) {
        // One that may have waited is saved when it leaves its wait.
        services.trySave(run, false);
      }
    }
    return seen;
  }

  private void giveBack(RunLocksOutcome.Taken taken) {
    taken.foreign().release(context::warn);
    locks.giveBack(taken.lease(), taken.renewal());
  }

  /** Takes the locks, after a wait if necessary; null if the run has ended or was passed on instead. */
  private RunLocksOutcome.@Nullable Taken takenAfterWait() {
    switch (takeLocks()) {
      case RunLocksOutcome.Taken taken -> {
        if (isStarted(taken)) {
          return taken;
        }
        passOn();
      }
      case RunLocksOutcome.OwnRefused(var lock, var why) -> refuse(RunRefusal.of(lock, why));
      case RunLocksOutcome.ForeignRefused(var why) -> refuse(new RunRefusal.ForeignLocked(why));
      case RunLocksOutcome.Unavailable(var lock, var problem) ->
        refuse(new RunRefusal.StorageUnavailable(lock, problem));
      case RunLocksOutcome.NotWaited(RunRefusal why) -> refuse(why);
      case RunLocksOutcome.NotBegun(var why) -> refuse(why);
      case RunLocksOutcome.Cancelled _ -> endWait();
      case RunLocksOutcome.PassedOn _ -> passOn();
    }
    return null;
  }

  /**
   * Whether this executor no longer has a run that waited, because it was believed dead. The lock is left to another
   * executor, which may have kept it as the run's. If no executor has the run any more, the lock is released here.
   */
  private boolean isAnotherExecutors(@Nullable HeldLease lease) {
    String executor = context.executor().id();
    try {
      if (!mayHaveWaited || services.store().take(id, executor, executor, context.executor().hostId()).isPresent()) {
        return false;
      }
      if (lease != null && !hasExecutor()) {
        locks.release(lease, RunStatus.CANCELLED);
      }
      return true;
    } catch (StorageException e) {
      if (lease != null) {
        locks.release(lease, RunStatus.CANCELLED);
      }
      throw e;
    }
  }

  /**
   * Records that the wait is over. If the run is not this executor's any more, or that cannot be recorded, the locks
   * are released; the run's own lock is left to another executor that has the run.
   */
  private boolean isStarted(RunLocksOutcome.Taken locked) {
    boolean isStarted = false;
    boolean ownedElsewhere = false;
    try {
      isStarted = !mayHaveWaited
          || services.store().start(running(context.run(), locked), context.executor().id());
      ownedElsewhere = !isStarted && hasExecutor();
      return isStarted;
    } finally {
      if (!isStarted) {
        locked.foreign().release(context::warn);
        locks.giveBack(ownedElsewhere ? null : locked.lease(), locked.renewal());
      }
    }
  }

  private boolean hasExecutor() {
    return services.store().unfinished().stream()
        .anyMatch(run -> run.requestId().equals(id) && !run.executor().equals(RunStore.QUEUE));
  }

  /** A run from the queue waits there for the end of a halt. */
  private void refuse(RunRefusal refusal) {
    if (isQueued && refusal instanceof RunRefusal.Barred && isReturned()) {
      passOn();
    } else {
      endUnlessAnothers(context.run().refused(refusal, services.time().now()));
    }
  }

  /** The wait was cancelled. If only this executor is closing, a run from the queue returns there. */
  private void endWait() {
    Halt halt = halted;
    if (halt != null) {
      refuse(new RunRefusal.Barred(halt.refusal()));
    } else if (returnsToQueue && isReturned()) {
      passOn();
    } else {
      endUnlessAnothers(context.run().finished(RunStatus.CANCELLED, services.time().now()));
    }
  }

  private boolean isReturned() {
    String executor = context.executor().id();
    try {
      return services.store().take(id, executor, RunStore.QUEUE).isPresent();
    } catch (StorageException away) {
      services.later(() -> services.store().take(id, executor, RunStore.QUEUE));
      return true;
    }
  }

  /** If another executor has the run, it may hold the very lock that refused this one, so the run does not end. */
  private void endUnlessAnothers(Run ended) {
    try {
      if (isAnotherExecutors(null)) {
        passOn();
      } else {
        end(ended);
      }
    } catch (StorageException away) {
      services.listener().ended(ended);
      endLater(ended);
      context.live().update(_ -> ended);
    }
  }

  /**
   * The watchers of a run from the queue find it with its next executor; for those of any other run it has ended here.
   */
  private void passOn() {
    isPassedOn = true;
    context.live().update(run -> isQueued ? run : run.finished(RunStatus.INTERRUPTED, services.time().now()));
  }

  /** Ends the run before its first step. Watchers see the end after it was recorded, or could not be. */
  private void end(Run ended) {
    try {
      services.save(ended, false);
    } catch (StorageException away) {
      endLater(ended);
    } finally {
      context.live().update(_ -> ended);
    }
  }

  /** Records the end as soon as the store can be reached again, unless another executor has the run by then. */
  private void endLater(Run ended) {
    String executor = context.executor().id();
    services.later(() -> {
      if (!ended.begun().isEmpty()
          || services.store().take(id, executor, executor, context.executor().hostId()).isPresent()) {
        services.store().save(ended, true);
      }
    });
  }

  private void perform(RunLocksOutcome.Taken locked) {
    try {
      performLocked(locked);
    } finally {
      // Also if something failed before the usual release; locks that were released are not released again.
      locked.foreign().release(context::warn);
    }
  }

  private void performLocked(RunLocksOutcome.Taken locked) {
    begin(locked);
    HeldLease lease = locked.lease();
    LockRenewal renewal = lease == null || locked.renewal() != null
        ? locked.renewal()
        : new LockRenewal(context, lease);
    RunStatus status;
    try {
      PreparedRun.Place place = new PreparedRun.Place(context.executor().home(),
          context.progress().path().orElse(NO_BEAT_FILE));
      status = new StepSequence(context, place, renewal).perform();
    } catch (RuntimeException | Error e) {
      // Whatever failed, the lock is released and the run ends.
      context.warn("the run failed inside the executor: " + e);
      status = RunStatus.FAILED;
    }
    locked.foreign().release(context::warn);
    RunStatus result = status;
    Run reported = SyncGroup.together(() -> end(result, lease, renewal));
    context.live().update(_ -> reported);
  }

  /** Releases the lock and records the end; both are synced together. Returns the run as it is reported. */
  private Run end(RunStatus status, @Nullable HeldLease lease, @Nullable LockRenewal renewal) {
    if (lease != null && renewal != null) {
      renewal.stop();
      if (status != RunStatus.LOCK_LOST || !renewal.isLost()) {
        locks.release(lease, status);
      }
    }
    return finish(status);
  }

  private void begin(RunLocksOutcome.Taken locked) {
    context.live().update(run -> running(run, locked));
    if (locked.previous() != null && locked.previous().lease() != null) {
      context.warn(taken(locked.previous().lease()));
    }
    Run.Header header = context.prepared().header();
    services.audit().append(new AuditEvent.RunStarted(id, services.time().now(), header.intent(),
        header.subject().version(), header.subject().mode().toString(), context.prepared().lock(),
        context.origin().because(reason)));
    if (heartbeat() == Controls.Heartbeat.PROGRESS) {
      context.progress().requireWork(outsideBeats());
    }
    context.progress().beat();
  }

  private Run running(Run run, RunLocksOutcome.Taken locked) {
    Run running = run.withStatus(RunStatus.RUNNING);
    if (locked.lease() == null) {
      return running;
    }
    Lease lease = locked.lease().lease();
    return running.withLock(new Run.LockNote(lease.name(), services.locks().pathOf(lease.name()), lease.ttl(),
        lease.token(), heartbeat(), locked.previous() != null, 0, false));
  }

  private static String taken(Lease previous) {
    return "lock " + previous.name() + " was taken from " + or(previous.holder().actor(), "an unnamed actor") + " on "
        + or(previous.holder().hostId(), "an unnamed host") + " (intent " + or(previous.holder().intent(), "not named")
        + ", request " + previous.requestId() + "), last alive " + Timestamps.format(previous.lastHeartbeatAt());
  }

  private static String or(String text, String other) {
    return text.isEmpty() ? other : text;
  }

  private Controls.Heartbeat heartbeat() {
    return context.prepared().intent().controls().heartbeat();
  }

  /** A run that cannot receive heartbeats from outside proves progress by its output and its steps alone. */
  private OutsideBeats.@Nullable Receiver outsideBeats() {
    try {
      return context.executor().outside().receive(id);
    } catch (StorageException e) {
      context.warn("the run cannot receive heartbeats from outside: " + e.publicMessage());
      return null;
    }
  }

  private Run finish(RunStatus status) {
    if (!services.processes().awaitCopy(id)) {
      context.warn("its output is not yet copied to the database; host " + context.executor().hostId() + " has it");
    }
    Run end = context.run().finished(status, services.time().now());
    String unsaved = services.trySave(end, true);
    services.audit().append(new AuditEvent.RunFinished(id, services.time().now(), end.intent(), status.toString(),
        String.valueOf(status.result()), end.progress().failureStep(), rollback(end.progress()), context.origin()));
    String problem = unsaved == null ? services.trySettle() : unsaved;
    if (problem == null) {
      return end;
    }
    services.saveLater(end);
    return end.withWarning("the end of the run could not be recorded: " + problem);
  }

  private static String rollback(Run.Progress progress) {
    if (progress.rollbackSkipped() != null) {
      return "skipped: " + progress.rollbackSkipped();
    }
    if (progress.rollback().isEmpty()) {
      return "none";
    }
    return progress.rollback().stream().allMatch(step -> step.status() == StepRecord.Status.SUCCEEDED)
        ? "success"
        : "failure";
  }

  /** Cancels the run: it stops waiting, or stops its step and rolls back. A run that is over is not affected. */
  public void cancel() {
    returnsToQueue = false;
    isCancelled = true;
    waitCancellation.cancel();
    context.inbox().put(new RunSignal.Cancelled());
  }

  /**
   * Obeys a halt: a run that waits is refused, or returns to the queue; one that has begun is cancelled, now or before
   * its next step. Does nothing if it has obeyed one of this level before.
   */
  public synchronized void halt(Halt halt) {
    Halt before = halted;
    if (halt.level() == Halt.Level.ADMIT || (before != null && before.level().compareTo(halt.level()) >= 0)
        || isCancelled) {
      return;
    }
    halted = halt;
    boolean isKilled = halt.level() == Halt.Level.KILL;
    String words = "halt " + halt.name() + " of " + halt.actor() + ": " + halt.reason();
    String warning = words + (isKilled ? "; the run is stopped" : "; no further step of the run begins");
    context.warn(warning);
    context.inbox().put(isKilled ? new RunSignal.Cancelled() : new RunSignal.Drained());
    waitCancellation.cancel();
    // After the stop: the audit log may be on the disk that hangs.
    context.log(warning);
    Run run = context.run();
    services.audit().append(new AuditEvent.RunCancelRequested(id, services.time().now(), run.intent(),
        run.header().lockName(), Origin.of(new Actor(halt.actor(), halt.onBehalfOf(), null)).because(words)));
  }

  /** Stops the run without a rollback, because its lock was taken from it by force. */
  public void abandon() {
    context.inbox().put(new RunSignal.Abandoned());
  }

  /** Ends its wait for a lock, because this executor is closing; a run from the queue returns there. */
  public void cancelWait() {
    returnsToQueue = isQueued;
    waitCancellation.cancel();
  }

  /** Records a heartbeat from outside; false if the run does not need it. */
  public boolean beat() {
    return context.progress().beatFromOutside();
  }

  /** Waits until this executor no longer has the run; false if the run has not ended, but was passed on. */
  public boolean awaitEnd() {
    boolean interrupted = false;
    for (;;) {
      try {
        over.await();
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        return !isPassedOn;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  /** The last check of a run: under its locks, before its first step. */
  @FunctionalInterface
  public interface LastCheck {
    /** The check of a run that may begin. */
    LastCheck NONE = _ -> null;

    /**
     * Returns why the run must not begin: it would do something else, or is not approved or allowed any more; null if
     * it may.
     *
     * @param seen what its probe sees under the locks; null if it has none
     */
    @Nullable
    RunRefusal refusal(@Nullable Observation seen);
  }
}
