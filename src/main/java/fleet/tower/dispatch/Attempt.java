package fleet.tower.dispatch;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import fleet.tower.execution.Execution;
import fleet.tower.execution.Executor;
import fleet.tower.execution.LiveRun;
import fleet.tower.execution.Prepared;
import fleet.tower.execution.Workshop;
import fleet.tower.lease.Decision;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.LockAnswers;
import fleet.tower.lock.StorageException;
import fleet.tower.lock.Wait;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;

/** A recorded run on its way to its lock and through its execution. */
final class Attempt {
  private final @Nullable AcquireRequest acquire;
  private final RunRequest.Terms terms;
  private final Workshop workshop;
  private final Execution execution;
  private final LiveRun live;
  private final AtomicBoolean waiting = new AtomicBoolean();

  Attempt(Prepared prepared, @Nullable AcquireRequest acquire, RunRequest.Terms terms, Workshop workshop,
      Executor executor) {
    this.acquire = acquire;
    this.terms = terms;
    this.workshop = workshop;
    boolean mayWait = acquire != null && !terms.patience().isZero();
    this.live = new LiveRun(new Run(prepared.header(), mayWait ? RunStatus.WAITING : RunStatus.RUNNING, null,
        prepared.beginning(), prepared.intent().warnings(), null, null));
    this.execution = new Execution(prepared, live, workshop, executor);
  }

  LiveRun live() {
    return live;
  }

  /** Takes the lock and lets the run begin, or refuses; with patience, the lock is waited for behind the answer. */
  Submission start(Runnable whenOver) {
    if (acquire == null) {
      onThread(whenOver, () -> execution.perform(null, false));
      return new Submission.Accepted(live, false);
    }
    if (!terms.patience().isZero()) {
      waiting.set(true);
      onThread(whenOver, () -> waitThenPerform(acquire));
      return new Submission.Accepted(live, false);
    }
    Submission.Rejected rejected = rejection(acquire, whenOver);
    if (rejected == null) {
      return new Submission.Accepted(live, false);
    }
    try {
      workshop.store().forget(acquire.requestId());
    } finally {
      whenOver.run();
    }
    return rejected;
  }

  private Submission.@Nullable Rejected rejection(AcquireRequest request, Runnable whenOver) {
    AcquireOutcome outcome;
    try {
      outcome = workshop.locks().acquire(request);
    } catch (StorageException e) {
      return new Submission.Unavailable(String.valueOf(e.getMessage()));
    }
    return switch (outcome) {
      case AcquireOutcome.Granted(var tenure, var displaced) -> {
        onThread(whenOver, () -> execution.perform(tenure, displaced != null));
        yield null;
      }
      case AcquireOutcome.Kept(var tenure) -> {
        onThread(whenOver, () -> execution.perform(tenure, false));
        yield null;
      }
      case AcquireOutcome.Refused(var refusal) -> new Submission.Refused(request.name(), refusal);
      case AcquireOutcome.Undone undone -> new Submission.Unavailable(undone.error());
    };
  }

  private void waitThenPerform(AcquireRequest request) {
    AcquireOutcome outcome;
    try {
      outcome = workshop.locks().acquire(request, new Wait(terms.patience(), workshop.scheduler(), (_, _) -> {}));
    } catch (StorageException e) {
      end(LockRefusals.unavailable(request.name(), String.valueOf(e.getMessage())));
      return;
    } finally {
      waiting.set(false);
    }
    switch (outcome) {
      case AcquireOutcome.Granted(var tenure, var displaced) -> execution.perform(tenure, displaced != null);
      case AcquireOutcome.Kept(var tenure) -> execution.perform(tenure, false);
      case AcquireOutcome.Refused(Decision.Blocked blocked) -> end(LockRefusals.timeout(request.name(), blocked));
      case AcquireOutcome.Refused(var refusal) -> end(LockAnswers.refusal(request.name(), refusal).end());
      case AcquireOutcome.Undone undone -> end(LockRefusals.unavailable(request.name(), undone.error()));
    }
  }

  /** The run is over before it began. */
  private void end(String refusal) {
    Run ended = live.run().refused(refusal, workshop.time().now());
    workshop.store().save(ended, false);
    live.update(_ -> ended);
  }

  void cancel() {
    execution.cancel();
  }

  void cancelWhileWaiting() {
    if (waiting.get()) {
      cancel();
    }
  }

  /** When the run is over, the attempt is forgotten first and its watchers see the end from the store. */
  private static void onThread(Runnable whenOver, Runnable work) {
    Thread.ofVirtual().name("tower-run").start(() -> {
      try {
        work.run();
      } finally {
        whenOver.run();
      }
    });
  }
}
