package fleet.tower.run.execute;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Controls.OnLockLost;
import fleet.tower.intent.Step;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.keepalive.HeartbeatCounts;
import fleet.tower.lease.keepalive.LeaseRenewer;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;

/**
 * The steps of one run, performed one after another, and undone when that is called for. All of it happens on one thread;
 * whatever else happens meanwhile arrives as a {@link RunSignal}.
 *
 * <ol>
 * <li>Before every step the lock is confirmed; past its deadline no step begins until a heartbeat has succeeded.
 * <li>A step ends by itself, or is ended: it had its time, the run had its time, somebody cancelled, the lock was lost.
 * <li>When the run does not succeed, every step that began is undone, the last one first, then the run as a whole; a piece of
 * that which fails does not keep the others from being tried. Only a second cause ends undoing early: the lock is lost. Where it was
 * lost before, nothing is undone, unless it was only given up and a renewal succeeds now.
 * </ol>
 */
final class StepSequence {
  private static final Duration BETWEEN_CONFIRMATIONS = Duration.ofSeconds(1);
  private static final Duration LONGEST_GRACE = Duration.ofSeconds(10);

  private final PreparedRun prepared;
  private final LiveRun live;
  private final RunServices workshop;
  private final PreparedRun.Place place;
  private final Inbox inbox;
  private final RunProgress pulse;
  private final @Nullable LeaseRenewer keeper;
  private final Consumer<String> warn;
  private boolean lockLost;
  private @Nullable RunStatus stop;
  private StepRecord.@Nullable Status cause;
  private int performed;
  private @Nullable LeaseTerm givenUp;
  private RunSignal.@Nullable LockDoubted toReport;

  StepSequence(PreparedRun prepared, LiveRun live, RunServices workshop, PreparedRun.Place place, Inbox inbox,
      RunProgress pulse,
      @Nullable LeaseRenewer keeper, Consumer<String> warn) {
    this.prepared = prepared;
    this.live = live;
    this.workshop = workshop;
    this.place = place;
    this.inbox = inbox;
    this.pulse = pulse;
    this.keeper = keeper;
    this.warn = warn;
  }

  /** Performs the steps, and undoes them if they do not all succeed; the answer is how the run has ended. */
  RunStatus perform() {
    Scheduler.Pending timer = workshop.scheduler().after(prepared.intent().timeouts().run(),
        () -> inbox.put(new RunSignal.RunTimeout()));
    RunStatus status = steps();
    timer.cancel();
    if (status != RunStatus.SUCCEEDED) {
      skipTheRest();
      undo();
    }
    return status;
  }

  private RunStatus steps() {
    List<Step> steps = prepared.intent().procedure().steps();
    for (int i = 0; i < steps.size(); i++) {
      if (!isCleared()) {
        return fail(steps.get(i).name(), stop == null ? RunStatus.LOCK_LOST : stop);
      }
      Step step = steps.get(i);
      StepRecord record = performOne(step, live.run().progress().steps().get(i), false);
      if (record.status() != StepRecord.Status.SUCCEEDED) {
        return fail(step.name(), verdict(record.status()));
      }
    }
    return RunStatus.SUCCEEDED;
  }

  private RunStatus fail(String step, RunStatus status) {
    live.update(run -> run.with(new Run.Progress(run.progress().steps(), run.progress().rollback(), step, null)));
    return status;
  }

  /** How a run ends whose step has ended so. */
  private static RunStatus verdict(StepRecord.Status status) {
    return switch (status) {
      case TIMED_OUT -> RunStatus.TIMED_OUT;
      case CANCELLED -> RunStatus.CANCELLED;
      case LOCK_LOST -> RunStatus.LOCK_LOST;
      case FAILED, PENDING, RUNNING, SUCCEEDED, SKIPPED, INTERRUPTED -> RunStatus.FAILED;
    };
  }

  /** Whether the next step may begin. Waits while the lock can be neither confirmed nor is known to be lost. */
  private boolean isCleared() {
    for (;;) {
      boolean confirmed = keeper == null || lockLost || keeper.confirm();
      noteAll();
      if (stop != null || confirmed) {
        return stop == null;
      }
      if (!lockLost) {
        workshop.scheduler().after(BETWEEN_CONFIRMATIONS, () -> inbox.put(new RunSignal.LookAgain()));
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
      case RunSignal.StepEnded _,RunSignal.StepTimeout _,RunSignal.LookAgain _ -> {
      }
      case RunSignal.RunTimeout _ -> stop = stop == null ? RunStatus.TIMED_OUT : stop;
      case RunSignal.Cancelled _ -> stop = stop == null ? RunStatus.CANCELLED : stop;
      case RunSignal.LockLost _ -> loseLock();
      case RunSignal.LockDoubted doubted -> doubt(doubted);
    }
  }

  private void loseLock() {
    lockLost = true;
    if (prepared.intent().controls().onLockLost() == OnLockLost.STOP) {
      stop = RunStatus.LOCK_LOST;
    } else {
      live.update(run -> run.warned("the lock was lost while the run was at work; it went on, as on_lock_lost says"));
    }
  }

  /** Nobody has told that the lock is lost; but nobody could, and when its time is over somebody else may have it. */
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

  /** Comes after what was running has been told to stop: the audit log may be on the disk that hangs. */
  private void reportDoubt() {
    RunSignal.LockDoubted doubted = toReport;
    if (doubted == null || keeper == null) {
      return;
    }
    toReport = null;
    HeartbeatCounts counts = doubted.counts();
    String failures = "the lock could not be renewed in time (" + counts.consecutiveFailures()
        + (counts.consecutiveFailures() == 1 ? " failure: " : " failures in a row, the last: ") + counts.error() + ")";
    if (givenUp == null) {
      warn.accept(
          failures + "; the run goes on, as on_lock_lost says, and others can take the lock when its ttl is over");
      keeper.reportFailures(counts);
    } else {
      warn.accept(failures + "; the run is stopped before others can take it");
      keeper.giveUp(counts);
    }
  }

  private StepRecord performOne(Step step, StepRecord pending, boolean undoing) {
    StepRecord begun = new StepRecord(pending.name(), pending.kind(), StepRecord.Status.RUNNING, null,
        workshop.time().now(), 0, null);
    long begunNanos = workshop.time().nanos();
    pulse.beat();
    workshop.keep(put(begun), false);
    Ending ending = await(step, begun, undoing);
    pulse.beat();
    long millis = Duration.ofNanos(workshop.time().nanos() - begunNanos).toMillis();
    StepRecord ended = new StepRecord(begun.name(), begun.kind(), ending.status(), ending.exitCode(),
        begun.startedAt(), millis, ending.note());
    put(ended);
    return ended;
  }

  /** How a step came to its end. */
  private record Ending(StepRecord.Status status, @Nullable Integer exitCode, @Nullable String note) {}

  private Ending await(Step step, StepRecord record, boolean undoing) {
    int number = ++performed;
    Duration limit = step.timeout() == null ? prepared.intent().timeouts().step() : step.timeout();
    Scheduler.Pending timer = workshop.scheduler().after(limit, () -> inbox.put(new RunSignal.StepTimeout(number)));
    Processes.Started process = workshop.processes().start(prepared.command(step, record, place, token()),
        watcher(record));
    cause = null;
    for (;;) {
      RunSignal signal = inbox.take();
      switch (signal) {
        case RunSignal.StepEnded(Processes.Exit exit) -> {
          timer.cancel();
          return ending(exit);
        }
        case RunSignal.StepTimeout(int which) -> {
          if (which == number && cause == null) {
            cause = StepRecord.Status.TIMED_OUT;
            process.stop();
          }
        }
        case RunSignal.RunTimeout _,RunSignal.Cancelled _,RunSignal.LockLost _,RunSignal.LockDoubted _,RunSignal.LookAgain _ -> {
          note(signal);
          if (cause == null && mustStop(undoing)) {
            cause = causeOfStop();
            stop(process);
          }
          reportDoubt();
        }
      }
    }
  }

  private Processes.Watcher watcher(StepRecord record) {
    return new Processes.Watcher() {
      @Override
      public void printed() {
        pulse.printed();
      }

      @Override
      public void logged() {
        live.touch();
      }

      @Override
      public void warned(String what) {
        live.update(run -> run.warned(record.logName() + ": " + what));
      }

      @Override
      public void ended(Processes.Exit exit) {
        inbox.put(new RunSignal.StepEnded(exit));
      }
    };
  }

  /** Where the lock was given up, what runs gets no more grace than leaves time to kill it before the deadline. */
  private void stop(Processes.Started process) {
    LeaseTerm doubted = givenUp;
    if (doubted == null) {
      process.stop();
    } else {
      process.stop(workshop.heartbeats().graceWithin(doubted, LONGEST_GRACE));
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

  private Ending ending(Processes.Exit exit) {
    StepRecord.Status forced = cause;
    return switch (exit) {
      case Processes.Exited(int code) -> new Ending(
          forced != null ? forced : code == 0 ? StepRecord.Status.SUCCEEDED : StepRecord.Status.FAILED, code, null);
      case Processes.Signalled(int signal) -> new Ending(forced != null ? forced : StepRecord.Status.FAILED,
          128 + signal, forced != null ? null : "ended by signal " + signal);
      case Processes.NotStarted(int code, String problem) -> new Ending(
          forced != null ? forced : StepRecord.Status.FAILED, code, prepared.secrets().mask(problem));
    };
  }

  private @Nullable FencingToken token() {
    Run.LockNote held = live.run().lock();
    return held == null ? null : held.token();
  }

  private void skipTheRest() {
    live.update(run -> run.with(new Run.Progress(run.progress().steps().stream().map(StepSequence::skipped).toList(),
        run.progress().rollback(), run.progress().failureStep(), null)));
  }

  private static StepRecord skipped(StepRecord record) {
    return record.isFinished()
        ? record
        : new StepRecord(record.name(), record.kind(), StepRecord.Status.SKIPPED, null, null, 0, null);
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
    live.update(run -> run.with(new Run.Progress(run.progress().steps(),
        pieces.stream().map(Undoing::record).toList(), run.progress().failureStep(), null)));
    for (Undoing piece : pieces) {
      if (!isLostToSight()) {
        performOne(piece.step(), piece.record(), true);
      }
      if (lockLost) {
        live.update(run -> run.with(new Run.Progress(run.progress().steps(),
            run.progress().rollback().stream().map(StepSequence::skipped).toList(), run.progress().failureStep(),
            null)));
        skipUndoing();
        return;
      }
    }
  }

  /**
   * Whether a lock that was given up is ours after all. Only a renewal says so, which gives undoing a whole ttl, and goes on being
   * renewed; a look would say nothing about the time until undoing is over.
   */
  private boolean isRegained() {
    if (givenUp == null || keeper == null || !keeper.renew()) {
      return false;
    }
    lockLost = false;
    stop = null;
    givenUp = null;
    warn.accept("the lock was renewed after the run was stopped, so what the run did is undone under it");
    return true;
  }

  /**
   * Whether the lock is lost, as far as can be seen before a piece of undoing begins. A step that was stuck may have outlived its
   * lock. Where nothing can be seen it is undone all the same.
   */
  private boolean isLostToSight() {
    if (keeper != null && !lockLost) {
      boolean _ = keeper.confirm();
      noteAll();
    }
    return lockLost;
  }

  private void skipUndoing() {
    live.update(run -> run.with(new Run.Progress(run.progress().steps(), run.progress().rollback(),
        run.progress().failureStep(), "lock lost")));
  }

  /** A piece of work that undoes something. */
  private record Undoing(Step step, StepRecord record) {}

  /**
   * What there is to undo. A step that failed may have done half of its work, so it is undone too; one that could not even be
   * started did nothing.
   */
  private List<Undoing> undoings() {
    List<Undoing> pieces = new ArrayList<>();
    List<Step> steps = prepared.intent().procedure().steps();
    List<StepRecord> records = live.run().progress().steps();
    for (int i = steps.size() - 1; i >= 0; i--) {
      if (records.get(i).hasBegun() && records.get(i).note() == null && steps.get(i).rollback() != null) {
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

  /** Puts a step's record in the place of the one before. What has ended is kept with what comes next. */
  private Run put(StepRecord record) {
    return live.update(before -> before.with(new Run.Progress(replaced(before.progress().steps(), record),
        replaced(before.progress().rollback(), record), before.progress().failureStep(),
        before.progress().rollbackSkipped())));
  }

  private static List<StepRecord> replaced(List<StepRecord> records, StepRecord by) {
    return records.stream().map(record -> record.logName().equals(by.logName()) ? by : record).toList();
  }
}
