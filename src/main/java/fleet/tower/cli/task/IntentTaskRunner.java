package fleet.tower.cli.task;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

import fleet.tower.access.Role;
import fleet.tower.answer.LockText;
import fleet.tower.answer.RunAnswers;
import fleet.tower.approval.ApprovalTerms;
import fleet.tower.cli.run.ApprovalWait;
import fleet.tower.cli.run.Narrator;
import fleet.tower.cli.run.RunEnding;
import fleet.tower.cli.run.RunWatch;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.intent.Controls;
import fleet.tower.lease.Actor;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.operation.RunCallOutcome;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.process.ProcessUser;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.worker.Claims;
import fleet.tower.task.worker.TaskRunner;
import fleet.tower.task.worker.TaskWorkCheck;

/** Runs each task by the intent that it names, in this process, as {@code tower run} does. */
final class IntentTaskRunner implements TaskRunner {
  private final Home home;
  private final RunEngine engine;
  private final Actor agent;
  private final Duration patience;
  private final Supplier<Narrator> narrators;
  private volatile boolean interrupted;

  /** @param patience how long to wait for an intent's lock */
  IntentTaskRunner(Home home, RunEngine engine, Actor agent, Duration patience, Supplier<Narrator> narrators) {
    this.home = home;
    this.engine = engine;
    this.agent = agent;
    this.patience = patience;
    this.narrators = narrators;
  }

  /** Cancels the current run, which rolls back its steps; no other run starts. */
  void interrupt() {
    interrupted = true;
    engine.runs().close(Duration.ZERO);
  }

  @Override
  public Job begin(Claims.Claimed claimed) {
    TaskSpec.Work work = claimed.work();
    if (work == null) {
      return new Ended(new Failed("the task names no intent, and the worker has no command"));
    }
    String metadata = JsonWriter.line().put("task_id", claimed.task().value())
        .put("task_attempt", Long.toString(claimed.attempt())).end();
    RunRequest request = new RunRequest(work.intent(), TaskWorkCheck.params(work), null, null,
        new Run.Origin(agent, metadata, null), new LockTerms(false, patience), null, null)
        .of(Role.OPERATOR, ProcessUser.name());
    return switch (engine.runs().submit(request)) {
      case SubmitOutcome.Accepted(RunHandle handle, boolean _) -> new Running(handle, asksForProgress(work.intent()));
      case SubmitOutcome.Closing() -> new Ended(new GivenBack("stopped"));
      case SubmitOutcome.TooMany(var why) -> new Ended(new GivenBack(why.most() + " runs are already active here"));
      case SubmitOutcome.OverQuota(var quota) -> new Ended(new GivenBack("the quota " + quota.quota() + " is used up"));
      case SubmitOutcome.Barred(var barred) -> new Ended(new GivenBack(LockText.describe(barred)));
      case SubmitOutcome.Unavailable(var _, String problem) -> new Ended(new GivenBack(problem));
      case SubmitOutcome.Refusal why -> new Ended(
          new Failed(RunAnswers.refused(RunCallOutcome.Refused.of(why, request.intent(), request.params(),
              engine.catalogue())).detail()));
    };
  }

  private boolean asksForProgress(String intent) {
    return engine.catalogue().find(intent)
        .filter(it -> it.controls().heartbeat() == Controls.Heartbeat.PROGRESS).isPresent();
  }

  /** A task that ended before its run started. */
  private record Ended(End end) implements Job {
    @Override
    public End await(Runnable onResume) {
      return end;
    }

    @Override
    public void stop() {
      // The run has ended.
    }
  }

  /** A run of the intent. */
  private final class Running implements Job {
    private final RunHandle handle;
    private final boolean asksForProgress;

    Running(RunHandle handle, boolean asksForProgress) {
      this.handle = handle;
      this.asksForProgress = asksForProgress;
    }

    @Override
    public Optional<ProgressSignal> proof() {
      return asksForProgress ? handle.heartbeat() : Optional.empty();
    }

    @Override
    public End await(Runnable onResume) {
      Run run = ApprovalWait.concerns(handle.run())
          ? new ApprovalWait(home, engine, () -> interrupted).await(handle.run(), ApprovalTerms.LONGEST,
              narrators.get())
          : new RunWatch(engine.logs(), narrators.get(), () -> interrupted).follow(handle);
      return switch (run.status()) {
        case SUCCEEDED -> new Done("run " + run.requestId() + " of " + run.intent());
        case AWAITING_APPROVAL, CANCELLED, WAITING, RUNNING -> interrupted ? new GivenBack("stopped") : failed(run);
        case REFUSED -> run.refusal() instanceof RunRefusal.Barred(var barred)
            ? new GivenBack(LockText.describe(barred))
            : failed(run);
        case FAILED, TIMED_OUT, LOCK_LOST, INTERRUPTED -> failed(run);
      };
    }

    private Failed failed(Run run) {
      RunEnding ending = RunEnding.of(run, _ -> "", "", false);
      return new Failed(run.refusal() == null ? ending.sentence() : ending.reply(false).message());
    }

    @Override
    public void stop() {
      engine.runs().cancel(handle.run().requestId());
    }
  }
}
