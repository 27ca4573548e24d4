package fleet.tower.service.web;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

import fleet.tower.access.Caller;
import fleet.tower.cli.reply.RunJson;
import fleet.tower.intent.Controls;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.Runs;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.web.call.WaitingCalls;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Problem;

/** Runs as answers: kept back for as long as the caller wants to wait for the end. */
final class RunReplies {
  private static final String REPLAYED = "Idempotency-Replayed";
  private static final String APPLIED = "Preference-Applied";

  private final Runs runs;
  private final Processes processes;
  private final Scheduler scheduler;
  private final WaitingCalls endings;

  RunReplies(Runs runs, Processes processes, Scheduler scheduler, WaitingCalls endings) {
    this.runs = runs;
    this.processes = processes;
    this.scheduler = scheduler;
    this.endings = endings;
  }

  /**
   * The answer to who asked for a run. When the client goes away the run goes on, and only this wait for it with it. A caller
   * whose token is revoked meanwhile is not told how the run ended; a run of that call which still waits for its lock is cancelled.
   */
  ResponseEntity<byte[]> answer(RunCall call, Caller caller, SubmitOutcome submission) {
    return switch (submission) {
      case SubmitOutcome.Accepted(RunHandle ticket, boolean replayed) ->
        accepted(ticket, replayed, call, caller);
      case SubmitOutcome.Rejected why -> RunProblems.of(why, call.request().intent()).answer();
    };
  }

  private ResponseEntity<byte[]> accepted(RunHandle ticket, boolean replayed, RunCall call, Caller caller) {
    RunCall.Preference preference = call.preference();
    Map<String, String> headers = new LinkedHashMap<>();
    if (replayed) {
      headers.put(REPLAYED, "true");
    }
    if (preference.applied() != null) {
      headers.put(APPLIED, preference.applied());
    }
    Run run = preference.isAsync() ? ticket.run() : await(ticket, preference.limit(), caller);
    if (!preference.isAsync() && !caller.credential().isValid()) {
      if (!replayed && !call.isQueued() && run.status() == RunStatus.WAITING) {
        runs.cancel(run.requestId());
      }
      throw WaitingCalls.revoked();
    }
    if (preference.isAsync() || !run.status().isFinished()) {
      headers.put("Location", "/runs/" + run.requestId());
      return Json.answer(HttpStatus.ACCEPTED, headers, json(run, ticket));
    }
    if (run.refusal() != null) {
      Problem problem = RunProblems.refused(run, run.refusal());
      headers.forEach(problem::header);
      return problem.answer();
    }
    return Json.answer(HttpStatus.OK, headers, json(run, ticket));
  }

  /** The run when it has ended, or as it stands when the time is over, the service stops, or the caller's token is revoked. */
  private Run await(RunHandle ticket, @Nullable Duration limit, Caller caller) {
    AtomicBoolean isOver = new AtomicBoolean();
    Scheduler.Pending timer = limit == null ? () -> {} : scheduler.after(limit, () -> {
      isOver.set(true);
      ticket.wake();
    });
    try (var _ = endings.whenRevoked(caller, ticket::wake)) {
      for (;;) {
        long seen = ticket.version();
        Run run = ticket.run();
        if (run.status().isFinished() || !caller.credential().isValid() || isOver.get() || endings.isClosing()) {
          return run;
        }
        ticket.awaitChange(seen);
      }
    } finally {
      timer.cancel();
    }
  }

  /** The whole run, with the end of what its steps printed. */
  JsonWriter json(Run run, RunHandle ticket) {
    JsonWriter json = RunJson.run(run, step -> tail(run, step));
    if (run.lock() != null && run.lock().heartbeat() == Controls.Heartbeat.PROGRESS
        && run.status() == RunStatus.RUNNING) {
      ticket.heartbeat().ifPresent(heartbeat -> json.put("last_progress_at", heartbeat.lastAt()));
    }
    ticket.position().ifPresent(before -> json.put("position", before + 1));
    return run.status() == RunStatus.INTERRUPTED ? json.list("next_actions", afterInterruption(run)) : json;
  }

  private String tail(Run run, StepRecord step) {
    try {
      return step.hasBegun() ? processes.tail(run.requestId(), step.logName()) : "";
    } catch (StorageException e) {
      // How the run ended is worth more than what it printed.
      return "(" + e.publicMessage() + ")";
    }
  }

  /** Nobody knows how far it came, so somebody has to look. */
  private static List<String> afterInterruption(Run run) {
    String intent = run.header().subject().intent();
    String again = Problem.action("POST", "/intents/" + intent, "tower run " + intent,
        "run it again once you know what it did; with force_lock if its lock is stale still");
    if (run.lock() == null) {
      return List.of(again);
    }
    String lock = run.lock().name().value();
    return List.of(Problem.action("GET", "/locks/" + lock, "tower why " + lock,
        "see whether its lock still stands: it goes stale by itself"), again);
  }
}
