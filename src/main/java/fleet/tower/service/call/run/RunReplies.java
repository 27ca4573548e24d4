package fleet.tower.service.call.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.answer.Answer;
import fleet.tower.answer.Asked;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.NextActions;
import fleet.tower.answer.NextStep;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RunJson;
import fleet.tower.answer.RunWaitJson;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Values;
import fleet.tower.operation.TokenRevoked;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepLogs;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.RunWait;
import fleet.tower.run.submit.Runs;
import fleet.tower.run.submit.SubmitOutcome;

/** Answers with runs, delayed as long as the caller wants to wait for the end. */
public final class RunReplies {
  private static final String REPLAYED = "Idempotency-Replayed";
  private static final String APPLIED = "Preference-Applied";

  private final Runs runs;
  private final StepLogs logs;
  private final Scheduler scheduler;
  private final WaitingCalls endings;
  private final Catalogue catalogue;
  private final LockEstimates estimates;

  public RunReplies(Runs runs, StepLogs logs, Scheduler scheduler, WaitingCalls endings, Catalogue catalogue,
      LockEstimates estimates) {
    this.catalogue = catalogue;
    this.estimates = estimates;
    this.runs = runs;
    this.logs = logs;
    this.scheduler = scheduler;
    this.endings = endings;
  }

  /**
   * The answer to a request for a run. If the client disconnects, the run continues and only this wait ends. If the
   * caller's token is revoked meanwhile, the result is withheld, and the run is cancelled if it still waits for its
   * lock.
   */
  Answer answer(RunCall call, Caller caller, SubmitOutcome submission, Asked asked) {
    return switch (submission) {
      case SubmitOutcome.Accepted(RunHandle handle, boolean replayed) ->
        accepted(handle, replayed, call, caller, asked);
      case SubmitOutcome.Rejected why -> rejected(why, call, caller);
    };
  }

  /** The refusal of a request for a run or a plan. */
  Problem rejected(SubmitOutcome.Rejected why, RunCall call, Caller caller) {
    return RunProblems.of(why, call.request().intent(), name -> catalogue.find(name)
        .filter(it -> Values.read(it.params(), call.request().params()) instanceof Values.Accepted(Values values)
            && caller.mayRun(name, values.texts()))
        .isPresent(), estimates);
  }

  private Answer accepted(RunHandle handle, boolean replayed, RunCall call, Caller caller, Asked asked) {
    Preference preference = call.preference();
    Map<String, String> headers = new LinkedHashMap<>();
    if (replayed) {
      headers.put(REPLAYED, "true");
    }
    if (preference.applied() != null) {
      headers.put(APPLIED, preference.applied());
    }
    Run run = preference.isAsync() ? handle.run() : await(handle, preference.limit(), caller);
    if (!preference.isAsync() && !caller.credential().isValid()) {
      if (!replayed && !call.isQueued() && run.status() == RunStatus.WAITING) {
        runs.cancel(run.requestId());
      }
      throw new TokenRevoked();
    }
    if (preference.isAsync() || !run.status().isFinished()) {
      headers.put("Location", "/runs/" + run.requestId());
      return new Answer.Done(Answer.ACCEPTED, headers, json(run, handle, asked));
    }
    if (run.refusal() != null) {
      Problem problem = RunProblems.refused(run, run.refusal(), estimates);
      headers.forEach(problem::header);
      return problem;
    }
    return new Answer.Done(Answer.OK, headers, json(run, handle, asked));
  }

  /** The state of a run once it has ended, or when the caller's patience runs out. */
  Answer state(RunHandle handle, Preference preference, Caller caller, Asked asked) {
    if (preference.limit() == null || preference.isAsync()) {
      return Answer.ok(record(handle.run(), handle, asked));
    }
    Run run;
    try (var _ = endings.enter(caller)) {
      run = await(handle, preference.limit(), caller);
    }
    if (!caller.credential().isValid()) {
      throw new TokenRevoked();
    }
    return new Answer.Done(Answer.OK, preference.applied() == null ? Map.of() : Map.of(APPLIED, preference.applied()),
        record(run, handle, asked));
  }

  /**
   * The run with its parameters and what it waits for. A service that is closing omits the latter, because the stores
   * may be closed already.
   */
  private JsonWriter record(Run run, RunHandle handle, Asked asked) {
    if (endings.isClosing()) {
      return RunJson.withParams(json(run, handle, asked), run);
    }
    Optional<RunWait> wait = runs.waitOf(run, handle);
    JsonWriter json = json(run, handle, wait.map(RunReplies::before).orElse(OptionalInt.empty()), asked);
    wait.ifPresent(it -> json.put("waiting", RunWaitJson.of(it)));
    return RunJson.withParams(json, run);
  }

  private static OptionalInt before(RunWait wait) {
    return wait instanceof RunWait.ForLock(var _, var ahead, boolean isInQueue) && isInQueue
        ? OptionalInt.of(ahead.size())
        : OptionalInt.empty();
  }

  /** The run when it ends, or its current state when the time is up, the service stops, or the token is revoked. */
  public Run await(RunHandle handle, @Nullable Duration limit, Caller caller) {
    AtomicBoolean isOver = new AtomicBoolean();
    Scheduler.Pending timer = limit == null ? () -> {} : scheduler.after(limit, () -> {
      isOver.set(true);
      handle.wake();
    });
    try (var _ = endings.whenRevoked(caller, handle::wake)) {
      for (;;) {
        long seen = handle.version();
        Run run = handle.run();
        if (run.status().isFinished() || !caller.credential().isValid() || isOver.get() || endings.isClosing()) {
          return run;
        }
        handle.awaitEnd(seen);
      }
    } finally {
      timer.cancel();
    }
  }

  /** The run, with the end of each step's output. */
  public JsonWriter json(Run run, RunHandle handle, Asked asked) {
    return json(run, handle, handle.position(), asked);
  }

  private JsonWriter json(Run run, RunHandle handle, OptionalInt position, Asked asked) {
    JsonWriter json = RunJson.run(run, step -> tail(run, step));
    if (run.lock() != null && run.lock().heartbeat() == Controls.Heartbeat.PROGRESS
        && run.status() == RunStatus.RUNNING) {
      handle.lastProgress().ifPresent(at -> json.put("last_progress_at", at));
    }
    position.ifPresent(before -> json.put("position", before + 1));
    estimates.of(run, handle).ifPresent(estimate -> estimate.addSecondsTo(json));
    List<NextStep> steps = switch (run.status()) {
      case WAITING, RUNNING -> NextActions.unfinished(run);
      case INTERRUPTED -> afterInterruption(run);
      case SUCCEEDED, FAILED, CANCELLED, TIMED_OUT, LOCK_LOST, REFUSED -> List.of();
    };
    List<String> actions = asked.actions(steps).stream().map(NextAction::json).toList();
    return actions.isEmpty() ? json : json.list("next_actions", actions);
  }

  private String tail(Run run, StepRecord step) {
    try {
      return logs.tail(run, step);
    } catch (StorageException e) {
      // The result matters more than the output.
      return "(" + e.publicMessage() + ")";
    }
  }

  /** An interrupted run needs inspection, because its progress is unknown. */
  private static List<NextStep> afterInterruption(Run run) {
    String intent = run.intent();
    List<NextStep> steps = new ArrayList<>();
    if (run.lock() != null) {
      steps.add(NextActions.look(run.lock().name()));
    }
    steps.add(NextActions.parameters(intent));
    steps.add(NextStep.advice("run " + intent + " again once you know how far it got"));
    return steps;
  }
}
