package fleet.tower.run.submit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.lease.RequestId;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.InterruptedLocks;
import fleet.tower.run.execute.RunServices;

/** Interrupts the runs of dead executors; nothing is resumed or rolled back. */
final class AbandonedRuns {
  private final RunServices services;
  private final ExecutorIdentity executor;
  private final InterruptedLocks locks;

  AbandonedRuns(RunServices services, ExecutorIdentity executor) {
    this.services = services;
    this.executor = executor;
    this.locks = new InterruptedLocks(services.locks(), services.processes());
  }

  /** Marks all of them as interrupted. */
  List<Run> recover() {
    return services.store().unfinished().stream().filter(this::isAbandoned)
        .map(run -> interrupt(run.requestId(), run.executor())).flatMap(Optional::stream).toList();
  }

  /** Releases the locks of interrupted runs whose intents allow it; those of others go stale. */
  InterruptedLocks.Outcome releaseInterrupted() {
    return locks.release();
  }

  /** Marks all of them as interrupted, and releases their locks if there were any. */
  void end() {
    if (!recover().isEmpty()) {
      releaseInterrupted();
    }
  }

  /** The run, marked as interrupted if its executor has died. */
  Run settled(Run run) {
    if (run.status().isFinished()) {
      return run;
    }
    return unfinished(run.requestId()).filter(this::isAbandoned)
        .flatMap(unfinished -> interrupt(run.requestId(), unfinished.executor())).orElse(run);
  }

  Optional<RunStore.Unfinished> unfinished(RequestId requestId) {
    return services.store().unfinished().stream().filter(run -> run.requestId().equals(requestId)).findFirst();
  }

  /** Whether no executor has the run, and none will take it. */
  private boolean isAbandoned(RunStore.Unfinished unfinished) {
    return !unfinished.executor().equals(RunStore.QUEUE) && !executor.isAlive().test(unfinished.executor())
        && services.store().find(unfinished.requestId()).filter(run -> !run.isQueued() || !run.isUnstarted())
            .isPresent();
  }

  Optional<Run> interrupt(RequestId requestId, String deadExecutor) {
    Instant now = services.time().now();
    Optional<Run> interrupted = services.store().interrupt(requestId, deadExecutor, now, lastTrace(requestId, now));
    interrupted.ifPresent(run -> {
      services.listener().ended(run);
      services.audit().append(new AuditEvent.RunFinished(requestId, services.time().now(), run.intent(),
          RunStatus.INTERRUPTED.toString(), String.valueOf(RunStatus.INTERRUPTED.result()),
          run.progress().failureStep(), "skipped: executor died",
          new Origin(run.actor(), run.intent(), null, null, null)));
    });
    return interrupted;
  }

  /** When the executor of a run died, as far as the output of the running step shows; else the present moment. */
  private Instant lastTrace(RequestId requestId, Instant now) {
    return services.store().find(requestId).stream().flatMap(run -> run.begun().stream())
        .filter(step -> step.status() == StepRecord.Status.RUNNING)
        .flatMap(step -> services.processes().lastTrace(requestId, step.logName()).stream())
        .filter(trace -> trace.isBefore(now)).findFirst().orElse(now);
  }
}
