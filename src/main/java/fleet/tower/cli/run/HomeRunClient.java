package fleet.tower.cli.run;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.Reply;
import fleet.tower.answer.RunAnswers;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.home.Home;
import fleet.tower.home.HomeRuns.QueueHandle;
import fleet.tower.home.RunEngine;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Labels;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.RunAgain;
import fleet.tower.operation.RunCallOutcome;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.text.Console;
import fleet.tower.run.Run;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.members.Member;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.SubmitOutcome;

/**
 * The runs of a home, executed in this process. A signal cancels the run: the step is stopped, the run is rolled back
 * and the lock released. If this process is killed, a supervisor stops its steps, and its lock goes stale.
 */
public final class HomeRunClient implements RunClient {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);
  private static final int LOOKS = 10;

  private final Home home;
  private final Console console;
  private final Interruptions interruptions;
  private final AtomicBoolean interrupted = new AtomicBoolean();

  public HomeRunClient(Home home, Console console, Interruptions interruptions) {
    this.home = home;
    this.console = console;
    this.interruptions = interruptions;
  }

  @Override
  public Reply run(RunRequest asked, Manner manner) {
    RunEngine engine = home.runs().engine(Member.Kind.COMMAND);
    try {
      RunRequest request = RunAgain.resolved(asked, id -> Optional.of(engine.runs().find(id).map(RunHandle::run)
          .orElseThrow(() -> new RefusedCommand(ErrorCode.RUN_NOT_FOUND, Reply.of(RunAnswers.notFound(id))))));
      List<String> secrets = RunOptions.secretsOnLine(request, engine.catalogue());
      secrets.forEach(name -> RunOptions.warnOfSecret(name, console));
      Reply reply = run(request, manner, engine);
      return secrets.isEmpty() ? reply : reply.withoutRepeating();
    } finally {
      engine.close(Duration.ZERO);
    }
  }

  private Reply run(RunRequest request, Manner manner, RunEngine engine) {
    Optional<Intent> unlocked = engine.catalogue().find(request.intent()).filter(Intent::lacksLock);
    if (manner.requiresLock() && unlocked.isPresent()) {
      return RunOptions.noLock(request.intent(), unlocked.get().mode().toString());
    }
    if (!manner.isFollowed()) {
      return enqueue(request, engine, manner.isDetached());
    }
    interruptions.on(() -> {
      interrupted.set(true);
      engine.runs().close(Duration.ZERO);
    });
    List<String> missing = engine.runs().missingLabels(request.intent());
    if (missing.isEmpty()) {
      return submit(request, manner, engine, missing);
    }
    QueueHandle queue = home.runs().queue(engine);
    try {
      return submit(request, manner, engine, missing);
    } finally {
      queue.close(Duration.ZERO);
    }
  }

  /** @param missing the labels that this host lacks, so that another one executes the run */
  private Reply submit(RunRequest request, Manner manner, RunEngine engine, List<String> missing) {
    return switch (engine.runs().submit(request)) {
      case SubmitOutcome.Accepted(RunHandle handle, boolean replayed) -> {
        Narrator narrator = Narrator.on(console, home, manner.asJson());
        if (replayed) {
          narrator.note(RunEnding.repeated(handle.run().requestId()));
        }
        if (!missing.isEmpty()) {
          narrator.note("this host does not have the " + Labels.describe(missing) + "; another host executes the run");
        }
        if (ApprovalWait.concerns(handle.run())) {
          yield ended(new ApprovalWait(home, engine, interrupted::get).await(handle.run(), request.terms().patience(),
              narrator), replayed, engine);
        }
        Run followed = new RunWatch(engine.logs(), narrator, interrupted::get).follow(handle);
        if (!missing.isEmpty() && interrupted.get() && !followed.status().isFinished()) {
          engine.runs().cancel(followed.requestId());
        }
        yield ended(handle.run(), replayed, engine);
      }
      case SubmitOutcome.Refusal why -> refused(why, request, engine);
    };
  }

  private Reply ended(Run run, boolean replayed, RunEngine engine) {
    Reply reply = RunEnding.of(run, step -> engine.logs().tail(run, step),
        home.root().resolve("logs/runs").resolve(run.requestId().value()).toString(), replayed)
        .reply(console.isTerminal());
    estimates(engine).of(run.refusal()).ifPresent(reply::expecting);
    return reply;
  }

  private LockEstimates estimates(RunEngine engine) {
    return new LockEstimates(home.locks(), engine.runs(), home.time());
  }

  /** The reply to a refused request, with what it can expect of a lock that it may wait for. */
  private Reply refused(SubmitOutcome.Refusal why, RunRequest request, RunEngine engine) {
    return why instanceof SubmitOutcome.Closing
        ? Reply.failure(ErrorCode.CANCELLED, "interrupted; nothing was done", "")
        : Reply.of(RunAnswers.refused(RunCallOutcome.Refused.of(why, request.intent(), request.params(),
            engine.catalogue()), estimates(engine), home.time().now()));
  }

  private Reply enqueue(RunRequest request, RunEngine engine, boolean looksForExecutor) {
    QueueHandle queue = home.runs().queue(engine);
    try {
      return switch (queue.runs().enqueue(request)) {
        case SubmitOutcome.Accepted(RunHandle handle, boolean replayed) -> {
          Reply reply = RunEnding.of(handle.run(), _ -> "", "", replayed).submitted();
          yield looksForExecutor && !isTaken(handle, engine)
              ? reply.words("tower: no service has taken it yet; it starts when one of this home has room: tower serve")
              : reply;
        }
        case SubmitOutcome.Refusal why -> refused(why, request, engine);
      };
    } finally {
      queue.close(Duration.ZERO);
    }
  }

  /** Whether an executor takes a queued run within a moment. */
  private boolean isTaken(RunHandle handle, RunEngine engine) {
    RequestId id = handle.run().requestId();
    for (int look = 0; look < LOOKS; look++) {
      boolean isInQueue = engine.store().unfinished().stream()
          .anyMatch(run -> run.requestId().equals(id) && run.executor().equals(RunStore.QUEUE));
      if (!isInQueue) {
        return true;
      }
      home.scheduler().pause(BETWEEN_LOOKS);
    }
    return false;
  }
}
