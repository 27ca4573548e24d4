package fleet.tower.cli.task;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.LockText;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HaltWatch;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.task.worker.Claims;
import fleet.tower.task.worker.TaskRunner;

/**
 * Runs tasks until a halt of the level {@link Halt.Level#KILL} covers their worker: then it stops the current one, which
 * is released.
 *
 * @param worker what halts cover; asked for each task, because a service knows its caller
 */
record HaltedTaskRunner(TaskRunner runner, HaltSource halts, Scheduler scheduler, Supplier<Halt.Subject> worker)
    implements
      TaskRunner {
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  @Override
  public Job begin(Claims.Claimed claimed) {
    Halt.Subject subject = worker.get();
    return new HaltedJob(runner.begin(claimed), subject, this);
  }

  private static final class HaltedJob implements Job {
    private final Job job;
    private final Halt.Subject subject;
    private final HaltWatch watch;
    private boolean isOver;
    private @Nullable Halt halt;

    HaltedJob(Job job, Halt.Subject subject, HaltedTaskRunner by) {
      this.job = job;
      this.subject = subject;
      this.watch = new HaltWatch(by.halts, BETWEEN_LOOKS, by.scheduler, this::obey);
    }

    @Override
    public End await(Runnable onResume) {
      watch.begun();
      try {
        return ended(job.await(onResume));
      } finally {
        watch.ended();
      }
    }

    /** Stops the job while it holds the monitor, so that the task is not released before the stop is over. */
    private synchronized void obey(HaltSource.InForce inForce) {
      if (!isOver && halt == null) {
        halt = inForce.strictest(subject).filter(it -> it.level() == Halt.Level.KILL).orElse(null);
        if (halt != null) {
          job.stop();
        }
      }
    }

    private synchronized End ended(End end) {
      isOver = true;
      return halt == null || end instanceof Done ? end : new GivenBack(LockText.describe(halt.refusal()));
    }

    @Override
    public Optional<ProgressSignal> proof() {
      return job.proof();
    }

    @Override
    public void stop() {
      job.stop();
    }
  }
}
