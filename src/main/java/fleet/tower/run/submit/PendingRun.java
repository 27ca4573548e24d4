package fleet.tower.run.submit;

import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignClaim;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLocks;
import fleet.tower.foreign.HeldLocks;
import fleet.tower.lease.Decision;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.wait.Cancellation;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.Execution;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.LiveRun;
import fleet.tower.run.execute.PreparedRun;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.execute.RunProgress;
import fleet.tower.run.execute.RunServices;

/** A recorded run on its way to its lock and through its execution. */
final class PendingRun {
  private final @Nullable AcquireRequest acquire;
  private final RunRequest.Terms terms;
  private final RunServices workshop;
  private final Execution execution;
  private final LiveRun live;
  private final RunProgress pulse;
  private final PreparedRun prepared;
  private final ForeignLocks foreign;
  private final ForeignClaim claim;
  private final String executor;
  private final Cancellation cancellation = new Cancellation();
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile boolean leaving;
  private volatile boolean returned;

  PendingRun(PreparedRun prepared, @Nullable AcquireRequest acquire, RunRequest.Terms terms, RunServices workshop,
      ExecutorIdentity executor, ForeignLocks foreign) {
    this.prepared = prepared;
    this.foreign = foreign;
    this.executor = executor.id();
    this.claim = claim(prepared, executor);
    this.acquire = acquire;
    this.terms = terms;
    this.workshop = workshop;
    boolean mayWait = prepared.header().order() != null || (acquire != null && !terms.patience().isZero());
    ProgressSignal heartbeat = new ProgressSignal(workshop.time());
    this.pulse = new RunProgress(heartbeat, workshop.scheduler(), workshop.heartbeats().maxInterval());
    this.live = new LiveRun(new Run(prepared.header(), mayWait ? RunStatus.WAITING : RunStatus.RUNNING, null,
        prepared.beginning(), prepared.intent().warnings(), null, null), heartbeat);
    this.execution = new Execution(prepared, live, workshop, executor, pulse);
  }

  private static ForeignClaim claim(PreparedRun prepared, ExecutorIdentity executor) {
    RequestId id = prepared.header().requestId();
    return new ForeignClaim(id, "tower/" + prepared.intent().name(), prepared.intent().version(), executor.pid(),
        id.value(),
        executor.origin(prepared.header()));
  }

  LiveRun live() {
    return live;
  }

  /** Takes the lock and lets the run begin, or refuses; with patience, the lock is waited for behind the answer. */
  SubmitOutcome start(Runnable whenOver) {
    if (acquire != null && !terms.patience().isZero()) {
      onThread(whenOver, () -> waitThenPerform(acquire));
      return new SubmitOutcome.Accepted(live, false);
    }
    SubmitOutcome.Rejected rejected = acquire == null ? begin(null, null, whenOver) : rejection(acquire, whenOver);
    if (rejected == null) {
      return new SubmitOutcome.Accepted(live, false);
    }
    try {
      workshop.store().forget(claim.by());
    } finally {
      whenOver.run();
    }
    return rejected;
  }

  /** The same for a run that was taken from the queue: nobody waits for an answer, so all of it happens behind. */
  void startTaken(Runnable whenOver) {
    onThread(whenOver, () -> {
      if (acquire == null) {
        takeThenPerform(null, null);
      } else if (terms.patience().isZero()) {
        acquireThenPerform(acquire);
      } else {
        waitThenPerform(acquire);
      }
    });
  }

  private void acquireThenPerform(AcquireRequest request) {
    AcquireOutcome outcome;
    try {
      outcome = workshop.locks().acquire(request);
    } catch (StorageException e) {
      refuse(Refusals.unavailable(request.name(), e.publicMessage()));
      return;
    }
    answered(request, outcome);
  }

  private SubmitOutcome.@Nullable Rejected rejection(AcquireRequest request, Runnable whenOver) {
    AcquireOutcome outcome;
    try {
      outcome = workshop.locks().acquire(request);
    } catch (StorageException e) {
      return new SubmitOutcome.Unavailable(e.publicMessage());
    }
    return switch (outcome) {
      case AcquireOutcome.Granted(var tenure, var displaced) -> begin(tenure, displaced, whenOver);
      case AcquireOutcome.Kept(var tenure) -> begin(tenure, null, whenOver);
      case AcquireOutcome.Refused(var refusal) -> new SubmitOutcome.Refused(request.name(), refusal);
      case AcquireOutcome.Undone undone -> new SubmitOutcome.Unavailable(undone.error());
    };
  }

  /** Takes other tools' locks, now that the run has its own. */
  private SubmitOutcome.@Nullable Rejected begin(@Nullable HeldLease tenure, @Nullable PreviousLock displaced,
      Runnable whenOver) {
    return switch (take(tenure)) {
      case ForeignLocks.Taken(HeldLocks held) -> {
        onThread(whenOver, () -> execution.perform(tenure, displaced, held));
        yield null;
      }
      case ForeignLocks.Refused(ForeignLock.Refusal refusal) -> new SubmitOutcome.Foreign(refusal);
    };
  }

  private ForeignLocks.TakeOutcome take(@Nullable HeldLease tenure) {
    boolean isTaken = false;
    try {
      ForeignLocks.TakeOutcome taking = foreign.take(prepared.foreign(), claim);
      isTaken = taking instanceof ForeignLocks.Taken;
      return taking;
    } finally {
      if (!isTaken && tenure != null) {
        execution.giveUp(tenure);
      }
    }
  }

  private void waitThenPerform(AcquireRequest request) {
    WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome;
    try {
      outcome = workshop.locks().acquire(request,
          new Wait(terms.patience(), workshop.scheduler(),
              (obstacle, waited, position) -> live
                  .waits(new RunHandle.Waiting(request.name(), obstacle, waited, position)),
              cancellation));
    } catch (StorageException e) {
      refuse(Refusals.unavailable(request.name(), e.publicMessage()));
      return;
    }
    switch (outcome) {
      case WaitOutcome.Answered(AcquireOutcome answer) -> answered(request, answer);
      case WaitOutcome.TimedOut(Decision.Obstacle obstacle) -> refuse(Refusals.timeout(request.name(), obstacle));
      case WaitOutcome.TooManyWaiters(int limit) -> refuse(Refusals.tooMany(request.name(), limit));
      case WaitOutcome.Cancelled() -> leave();
    }
  }

  /** Its wait was ended. Where only this executor goes away, a run from the queue goes back there for another one. */
  private void leave() {
    if (leaving && workshop.store().take(claim.by(), executor, RunStore.QUEUE).isPresent()) {
      passOn();
      return;
    }
    end(live.run().finished(RunStatus.CANCELLED, workshop.time().now()));
  }

  /** This executor is through with a run that goes on elsewhere. */
  private void passOn() {
    returned = true;
    live.wake();
  }

  private void answered(AcquireRequest request, AcquireOutcome answer) {
    switch (answer) {
      case AcquireOutcome.Granted(var tenure, var displaced) -> takeThenPerform(tenure, displaced);
      case AcquireOutcome.Kept(var tenure) -> takeThenPerform(tenure, null);
      case AcquireOutcome.Refused(var refusal) -> refuse(Refusals.refused(request.name(), refusal));
      case AcquireOutcome.Undone undone -> refuse(Refusals.unavailable(request.name(), undone.error()));
    }
  }

  private void takeThenPerform(@Nullable HeldLease tenure, @Nullable PreviousLock displaced) {
    if (hasPassedOn(tenure)) {
      passOn();
      return;
    }
    switch (take(tenure)) {
      case ForeignLocks.Taken(HeldLocks held) -> execution.perform(tenure, displaced, held);
      case ForeignLocks.Refused(ForeignLock.Refusal refusal) -> refuse(Refusals.foreign(refusal));
    }
  }

  /**
   * Whether a run from the queue is another executor's by now, which had taken this one for dead. The lock is left to it, because
   * it may have kept it as the run's. Where nobody is at the run any more, nobody would give the lock back.
   */
  private boolean hasPassedOn(@Nullable HeldLease tenure) {
    try {
      if (prepared.header().order() == null || workshop.store().take(claim.by(), executor, executor).isPresent()) {
        return false;
      }
      if (tenure != null && !isAnothers()) {
        execution.giveUp(tenure);
      }
      return true;
    } catch (StorageException e) {
      if (tenure != null) {
        execution.giveUp(tenure);
      }
      throw e;
    }
  }

  private boolean isAnothers() {
    return workshop.store().unfinished().stream()
        .anyMatch(run -> run.requestId().equals(claim.by()) && !run.executor().equals(RunStore.QUEUE));
  }

  /** Another executor that has the run may hold the very lock that refused this one, and the run does not end then. */
  private void refuse(String refusal) {
    if (hasPassedOn(null)) {
      passOn();
      return;
    }
    end(live.run().refused(refusal, workshop.time().now()));
  }

  /** The run is over before it began; nobody is told before it is recorded, as far as it can be. */
  private void end(Run ended) {
    try {
      workshop.store().save(ended, false);
    } finally {
      live.update(_ -> ended);
    }
  }

  void cancel() {
    leaving = false;
    cancellation.cancel();
    execution.cancel();
  }

  /** Whether a beat that was given to it counts. */
  boolean beat() {
    return pulse.beatFromOutside();
  }

  /** This executor goes away: what waits does not begin here any more. */
  void cancelWhileWaiting() {
    leaving = prepared.header().order() != null;
    cancellation.cancel();
  }

  /** Waits until this executor is through with the run. Answers whether the run has ended, and did not go back into the queue. */
  boolean awaitEnd() {
    boolean interrupted = false;
    for (;;) {
      try {
        over.await();
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        return !returned;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  /** When the run is over, the attempt is forgotten first and its watchers see the end from the store. */
  private void onThread(Runnable whenOver, Runnable work) {
    Thread.ofVirtual().name("tower-run").start(() -> {
      try (pulse) {
        pulse.start();
        work.run();
      } catch (RuntimeException | Error e) {
        // Nobody may wait for ever for a run that nobody is at any more.
        Run broken = live.run().warned("the run failed inside the executor: " + e);
        end(broken.finished(RunStatus.FAILED, workshop.time().now()));
      } finally {
        whenOver.run();
        over.countDown();
      }
    });
  }
}
