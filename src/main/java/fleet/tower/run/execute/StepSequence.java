package fleet.tower.run.execute;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Controls.OnLockLost;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Probe;
import fleet.tower.intent.Repetition;
import fleet.tower.intent.StepLimits;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.keepalive.HeartbeatCounts;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.run.Observation;
import fleet.tower.run.Probed;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;

/**
 * The steps of one run, performed in order, and rolled back if the run does not succeed. All of it happens on one
 * thread, which also awaits the processes; every other event arrives there as a {@link RunSignal}.
 *
 * <ol>
 * <li>The lock is looked at before every step. After its deadline no step begins until a heartbeat succeeds.
 * <li>A step ends on its own, or is ended by its timeout, the timeout of the run, a cancellation, or the loss of the
 * lock. A drain lets it end on its own, and cancels the run before the next step.
 * <li>A step that fails may be tried again, after a wait. All that ends a run, or cancels it before its next step, ends
 * the wait. The lock is looked at before every try.
 * <li>If the run does not succeed, every step that began is rolled back, the last one first, then the run as a whole. A
 * rollback step that fails does not keep the others from being tried; only the loss of the lock ends the rollback
 * early. If the lock was lost before, nothing is rolled back, unless it was only given up and a renewal succeeds now.
 * </ol>
 */
final class StepSequence {
  private static final Duration BETWEEN_CONFIRMATIONS = Duration.ofSeconds(1);
  private static final Duration LONGEST_GRACE = Duration.ofSeconds(10);

  private final RunContext context;
  private final PreparedRun prepared;
  private final RunServices services;
  private final PreparedRun.Place place;
  private final Inbox inbox;
  private final RunProgress progress;
  private final @Nullable LockRenewal lock;
  private boolean lockLost;
  private boolean isDrained;
  private @Nullable RunStatus stop;
  private StepRecord.@Nullable Status cause;
  private int performed;
  /** The log names of the steps whose program could not be started. */
  private final Set<String> neverStarted = new HashSet<>();
  private @Nullable LeaseTerm givenUp;
  private RunSignal.@Nullable LockDoubted toReport;

  /** @param lock the renewal of the run's lock; null if its intent has none */
  StepSequence(RunContext context, PreparedRun.Place place, @Nullable LockRenewal lock) {
    this.context = context;
    this.prepared = context.prepared();
    this.services = context.services();
    this.place = place;
    this.inbox = context.inbox();
    this.progress = context.progress();
    this.lock = lock;
  }

  /** Performs the steps, and rolls them back if they do not all succeed. Returns the final status of the run. */
  RunStatus perform() {
    String desired = prepared.intent().restoresDesired() ? prepared.desired() : null;
    Observation before = context.run().probed().before();
    if (desired != null && before != null && before.holds(desired)) {
      context.live().update(run -> run.withProgress(it -> it.withEach(StepRecord::skipped))
          .withProbed(Probed::asUnchanged));
      return RunStatus.SUCCEEDED;
    }
    Scheduler.Pending timer = services.scheduler().after(prepared.intent().timeouts().run(),
        () -> inbox.put(new RunSignal.RunTimeout()));
    RunStatus status = verified(steps());
    timer.cancel();
    if (status != RunStatus.SUCCEEDED) {
      update(it -> it.withEach(StepRecord::skipped));
      undo();
    }
    return status;
  }

  private RunStatus steps() {
    List<Intent.Step> steps = prepared.intent().procedure().steps();
    for (int i = 0; i < steps.size(); i++) {
      if (!isCleared()) {
        return fail(steps.get(i).name(), stop == null ? RunStatus.LOCK_LOST : stop);
      }
      Intent.Step step = steps.get(i);
      StepRecord record = performOne(step, context.run().progress().steps().get(i), false);
      if (record.status() != StepRecord.Status.SUCCEEDED) {
        return fail(step.name(), runStatus(record.status()));
      }
    }
    return RunStatus.SUCCEEDED;
  }

  /** A run fails if the state that it should bring about does not hold after its last step. */
  private RunStatus verified(RunStatus status) {
    String desired = prepared.desired();
    if (status != RunStatus.SUCCEEDED || desired == null) {
      return status;
    }
    Observation seen = Objects.requireNonNull(services.prober(context.executor()).look(prepared));
    context.live().update(run -> run.withProbed(it -> it.seenAfter(seen)));
    if (seen.holds(desired)) {
      return status;
    }
    context.warn("the desired state does not hold after the last step: " + switch (seen) {
      case Observation.Seen _ -> String.join("; ", seen.differences(desired).stream().map(Observation.Difference::text)
          .toList());
      case Observation.Unknown(String why) -> why;
    });
    return fail(Probe.NAME, RunStatus.FAILED);
  }

  private RunStatus fail(String step, RunStatus status) {
    update(it -> it.failedAt(step));
    return status;
  }

  /** The status of a run whose step ended with a status. */
  private static RunStatus runStatus(StepRecord.Status status) {
    return switch (status) {
      case TIMED_OUT -> RunStatus.TIMED_OUT;
      case CANCELLED -> RunStatus.CANCELLED;
      case LOCK_LOST -> RunStatus.LOCK_LOST;
      case FAILED, PENDING, RUNNING, SUCCEEDED, SKIPPED, INTERRUPTED -> RunStatus.FAILED;
    };
  }

  /** Whether the next step may begin. Waits while it is unknown whether the lock is held. */
  private boolean isCleared() {
    for (;;) {
      boolean confirmed = lock == null || lockLost || lock.confirm();
      noteAll();
      if (stop == null && isDrained) {
        stop = RunStatus.CANCELLED;
      }
      if (stop != null || confirmed) {
        return stop == null;
      }
      if (!lockLost) {
        services.scheduler().after(BETWEEN_CONFIRMATIONS, () -> inbox.put(new RunSignal.ConfirmAgain()));
        note(inbox.take());
        reportDoubt();
      }
    }
  }

  private void noteAll() {
    for (RunSignal signal = inbox.poll(); signal != null; signal = inbox.poll()) {
      note(signal);
    }
    reportDoubt();
  }

  private void note(RunSignal signal) {
    switch (signal) {
      case RunSignal.StepEnded _,RunSignal.StepTimeout _,RunSignal.ConfirmAgain _,RunSignal.RetryDue _ -> {
      }
      case RunSignal.RunTimeout _ -> stop = stop == null ? RunStatus.TIMED_OUT : stop;
      case RunSignal.Cancelled _ -> stop = stop == null ? RunStatus.CANCELLED : stop;
      case RunSignal.Drained _ -> isDrained = true;
      case RunSignal.LockLost _ -> loseLock(prepared.intent().controls().onLockLost());
      case RunSignal.Abandoned _ -> loseLock(OnLockLost.STOP);
      case RunSignal.LockDoubted doubted -> doubt(doubted);
    }
  }

  private void loseLock(OnLockLost reaction) {
    lockLost = true;
    context.live().update(Run::withLockLost);
    if (reaction == OnLockLost.STOP) {
      stop = RunStatus.LOCK_LOST;
    } else {
      context.warn("the lock was lost during the run; the run continued, as on_lock_lost says");
    }
  }

  /**
   * The lock is not known to be lost, but it could not be renewed, so another holder may take it after its deadline.
   */
  private void doubt(RunSignal.LockDoubted doubted) {
    if (lockLost) {
      return;
    }
    toReport = doubted;
    if (prepared.intent().controls().onLockLost() == OnLockLost.STOP) {
      lockLost = true;
      stop = RunStatus.LOCK_LOST;
      givenUp = doubted.term();
    }
  }

  /** Runs after a step that must be stopped has ended: the audit log may be on the disk that hangs. */
  private void reportDoubt() {
    RunSignal.LockDoubted doubted = toReport;
    if (doubted == null || lock == null) {
      return;
    }
    toReport = null;
    HeartbeatCounts counts = doubted.counts();
    String failures = "the lock could not be renewed in time (" + counts.consecutiveFailures()
        + (counts.consecutiveFailures() == 1 ? " failure: " : " failures in a row, the last: ") + counts.error() + ")";
    if (givenUp == null) {
      context.warnAtOnce(
          failures + "; the run continues, as on_lock_lost says, and others can take the lock when its ttl expires");
      lock.reportFailures(counts);
    } else {
      context.warnAtOnce(failures + "; the run is stopped before others can take it");
      lock.giveUp(counts);
    }
  }

  private StepRecord performOne(Intent.Step step, StepRecord pending, boolean undoing) {
    StepRecord record = pending.started(services.time().now());
    long begunNanos = services.time().nanos();
    services.trySave(put(record), false);
    StepRecord.Try last = tryOnce(step, record, undoing);
    Repetition repetition = undoing ? null : step.repetition();
    for (int tries = 1; repetition != null && tries <= repetition.times() && mayMend(last); tries++) {
      record = tries == 1 ? record.tried(last) : record;
      Duration delay = repetition.delayAfter(tries);
      services.processes().note(context.id(), record.logName(), "try " + tries + " of " + (repetition.times() + 1) + " "
          + last.describe() + "; the next one begins in " + TimeSpans.format(delay));
      services.trySave(put(record), false);
      if (isClearedAfter(delay)) {
        last = tryOnce(step, record, false);
        record = record.tried(last);
      } else {
        last = new StepRecord.Try(causeOfStop(), last.exitCode(), 0, "not tried again");
      }
    }
    StepRecord ended = record.ended(last.status(), last.exitCode(), millisSince(begunNanos), last.note())
        .withOutputSize(outputSize(record));
    put(ended);
    return ended;
  }

  private long millisSince(long nanos) {
    return Duration.ofNanos(services.time().nanos() - nanos).toMillis();
  }

  /**
   * Whether a try failed in a way that another one may mend, while nothing ends the run. A program that cannot be
   * started is no such way; shells report it with the same exit codes.
   */
  private boolean mayMend(StepRecord.Try ended) {
    Integer code = ended.exitCode();
    boolean hasFailed = ended.status() == StepRecord.Status.FAILED || ended.status() == StepRecord.Status.TIMED_OUT;
    return hasFailed && stop == null && (code == null || (code != 126 && code != 127));
  }

  /** Waits until the next try is due; false as soon as the run must not continue. */
  private boolean isClearedAfter(Duration delay) {
    Scheduler.Pending timer = services.scheduler().after(delay, () -> inbox.put(new RunSignal.RetryDue()));
    progress.pause(true);
    boolean isDue = false;
    while (!isDue && stop == null && !isDrained) {
      RunSignal signal = inbox.take();
      isDue = signal instanceof RunSignal.RetryDue;
      note(signal);
      reportDoubt();
    }
    timer.cancel();
    progress.pause(false);
    return isCleared();
  }

  private @Nullable Long outputSize(StepRecord step) {
    try {
      return services.processes().size(context.id(), step.logName());
    } catch (StorageException unreadable) {
      return null;
    }
  }

  private StepRecord.Try tryOnce(Intent.Step step, StepRecord record, boolean undoing) {
    long begunNanos = services.time().nanos();
    progress.beat();
    Ending ending = await(step, record, undoing);
    progress.beat();
    return new StepRecord.Try(ending.status(), ending.exitCode(), millisSince(begunNanos), ending.note());
  }

  /** The end of a process. */
  private record Ending(StepRecord.Status status, @Nullable Integer exitCode, @Nullable String note) {}

  private Ending await(Intent.Step step, StepRecord record, boolean undoing) {
    int number = ++performed;
    Duration limit = step.timeout() == null ? prepared.intent().timeouts().step() : step.timeout();
    Scheduler.Pending timer = services.scheduler().after(limit, () -> inbox.put(new RunSignal.StepTimeout(number)));
    PrintedOutput printed = new PrintedOutput(undoing ? null : step.output());
    Processes.Started process = services.processes().start(prepared.command(step, record, place, token()),
        watcher(record, printed));
    inbox.onArrival(process::wake);
    cause = null;
    for (;;) {
      RunSignal signal = inbox.poll();
      switch (signal) {
        case null -> process.await();
        case RunSignal.StepEnded(Processes.Exit exit) -> {
          timer.cancel();
          inbox.onArrival(() -> {});
          reportDoubt();
          if (exit instanceof Processes.NotStarted && record.tries().isEmpty()) {
            neverStarted.add(record.logName());
          }
          return ending(exit, step.limits(), printed);
        }
        case RunSignal.StepTimeout(int which) -> {
          if (which == number && cause == null) {
            cause = StepRecord.Status.TIMED_OUT;
            stopMeanwhile(process::stop);
          }
        }
        case RunSignal.RunTimeout _,RunSignal.Cancelled _,RunSignal.Drained _,RunSignal.LockLost _,RunSignal.Abandoned _,RunSignal.LockDoubted _,RunSignal.ConfirmAgain _,RunSignal.RetryDue _ -> {
          note(signal);
          if (cause == null && mustStop(undoing)) {
            cause = causeOfStop();
            stop(process);
          }
          if (cause == null) {
            reportDoubt();
          }
        }
      }
    }
  }

  private Processes.Watcher watcher(StepRecord record, PrintedOutput printed) {
    return new Processes.Watcher() {
      @Override
      public void printed() {
        progress.printed();
      }

      @Override
      public void output(byte[] bytes, int offset, int length) {
        printed.add(bytes, offset, length);
      }

      @Override
      public void logged() {
        context.live().touch();
      }

      @Override
      public void warned(String what) {
        context.warn(record.logName() + ": " + what);
      }

      @Override
      public void ended(Processes.Exit exit) {
        inbox.put(new RunSignal.StepEnded(exit));
      }
    };
  }

  /** If the lock was given up, the step gets only as much grace as leaves time to kill it before the deadline. */
  private void stop(Processes.Started process) {
    LeaseTerm doubted = givenUp;
    if (doubted == null || lock == null) {
      stopMeanwhile(process::stop);
    } else {
      Duration grace = lock.graceWithin(doubted, LONGEST_GRACE);
      stopMeanwhile(() -> process.stop(grace));
    }
  }

  /** Stops a step on another thread, while this one reads its output; on this one if no other is available. */
  private void stopMeanwhile(Runnable stop) {
    try {
      services.processes().execute(stop);
    } catch (RuntimeException | Error noThread) {
      stop.run();
    }
  }

  private boolean mustStop(boolean undoing) {
    return undoing ? stop == RunStatus.LOCK_LOST : stop != null;
  }

  private StepRecord.Status causeOfStop() {
    return stop == RunStatus.LOCK_LOST
        ? StepRecord.Status.LOCK_LOST
        : stop == RunStatus.TIMED_OUT ? StepRecord.Status.TIMED_OUT : StepRecord.Status.CANCELLED;
  }

  /** A shell whose last command was ended by signal n, and a process that Java watches, exit with 128 + n. */
  private Ending ending(Processes.Exit exit, StepLimits limits, PrintedOutput printed) {
    StepRecord.Status forced = cause;
    return switch (exit) {
      case Processes.Exited(int code) -> {
        String problem = forced != null ? null : code == 0 ? printed.problem() : limits.exceeded(code - 128);
        boolean isGood = code == 0 && problem == null;
        yield new Ending(
            forced != null ? forced : isGood ? StepRecord.Status.SUCCEEDED : StepRecord.Status.FAILED, code, problem);
      }
      case Processes.Signalled(int signal) -> new Ending(forced != null ? forced : StepRecord.Status.FAILED,
          128 + signal, forced != null
              ? null
              : Objects.requireNonNullElse(limits.exceeded(signal), "ended by signal " + signal));
      case Processes.NotStarted(int code, String problem) -> new Ending(
          forced != null ? forced : StepRecord.Status.FAILED, code, prepared.secrets().mask(problem));
    };
  }

  private @Nullable FencingToken token() {
    return lock == null ? null : lock.token();
  }

  private void undo() {
    List<Undoing> pieces = undoings();
    if (pieces.isEmpty()) {
      return;
    }
    if (lockLost && !isRegained()) {
      skipUndoing();
      return;
    }
    update(it -> it.withRollback(pieces.stream().map(Undoing::record).toList()));
    for (Undoing piece : pieces) {
      if (!isKnownLost()) {
        performOne(piece.step(), piece.record(), true);
      }
      if (lockLost) {
        update(it -> it.withEach(StepRecord::skipped));
        skipUndoing();
        return;
      }
    }
  }

  /**
   * Whether a lock that was given up is held after all. Only a renewal proves that: it gives the rollback a full ttl,
   * whereas a read would prove nothing about the time until the rollback ends.
   */
  private boolean isRegained() {
    if (givenUp == null || lock == null || !lock.renew()) {
      return false;
    }
    lockLost = false;
    stop = null;
    givenUp = null;
    context.warnAtOnce("the lock was renewed after the run was stopped, so its steps are rolled back under it");
    return true;
  }

  /**
   * Whether the lock is known to be lost before a rollback step begins: a step that was stuck may have outlived its
   * lock. If that cannot be determined, the rollback step is performed.
   */
  private boolean isKnownLost() {
    if (lock != null && !lockLost) {
      boolean _ = lock.confirm();
      noteAll();
    }
    return lockLost;
  }

  private void skipUndoing() {
    update(it -> it.withRollbackSkipped("lock lost"));
  }

  /** One step of the rollback. */
  private record Undoing(Intent.Step step, StepRecord record) {}

  /**
   * The steps of the rollback. A step that failed may have done half of its work, so it is rolled back too; a step that
   * could not be started did nothing.
   */
  private List<Undoing> undoings() {
    List<Undoing> pieces = new ArrayList<>();
    List<Intent.Step> steps = prepared.intent().procedure().steps();
    List<StepRecord> records = context.run().progress().steps();
    for (int i = steps.size() - 1; i >= 0; i--) {
      StepRecord record = records.get(i);
      if (record.hasBegun() && !neverStarted.contains(record.logName()) && steps.get(i).rollback() != null) {
        pieces.add(new Undoing(steps.get(i),
            StepRecord.pending(steps.get(i).name(), StepRecord.Kind.STEP_ROLLBACK)));
      }
    }
    if (records.stream().anyMatch(StepRecord::hasBegun)) {
      prepared.intent().procedure().rollback().forEach(step -> pieces
          .add(new Undoing(step, StepRecord.pending(step.name(), StepRecord.Kind.RUN_ROLLBACK))));
    }
    return pieces;
  }

  /** Replaces the record of a step. The end of a step is saved together with the next change. */
  private Run put(StepRecord record) {
    return update(it -> it.withEach(other -> other.logName().equals(record.logName()) ? record : other));
  }

  private Run update(UnaryOperator<Run.Progress> change) {
    return context.live().update(run -> run.withProgress(change));
  }
}
