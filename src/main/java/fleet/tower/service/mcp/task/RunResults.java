package fleet.tower.service.mcp.task;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.LockJson;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.RefusedRequest;
import fleet.tower.answer.RunAnswers;
import fleet.tower.answer.RunJson;
import fleet.tower.intent.Controls;
import fleet.tower.lease.Decision;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepLogs;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.service.mcp.tool.ToolMembers;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * Runs as results of tools: the record with an {@code outcome} and {@code next_actions}; and sentences with the end of
 * the output, for clients without structured content. Output is bounded; a resource has all of it.
 */
public final class RunResults {
  /** The longest part of the output of a step that failed, runs, or is the last one. */
  private static final int MAX_OUTPUT = 2000;
  private static final int MAX_OTHER_OUTPUT = 300;
  private static final int MAX_SENTENCE = 1000;
  private static final String REPLAYED = " It belongs to an earlier call with the same request id; this call started"
      + " nothing.";

  private final StepLogs logs;
  private final LockEstimates estimates;
  private final Function<Exchange, RefusedRequest> refused;

  /** @param refused the request of an exchange, which can be repeated */
  public RunResults(StepLogs logs, LockEstimates estimates, Function<Exchange, RefusedRequest> refused) {
    this.logs = logs;
    this.estimates = estimates;
    this.refused = refused;
  }

  /** The resource with all output of a run. */
  static String log(Run run) {
    return "tower://runs/" + run.requestId() + "/log";
  }

  /** Whether a run waits for an executor. */
  static boolean isQueued(Run run) {
    return run.status() == RunStatus.WAITING && run.isQueued() && run.hostId() == null;
  }

  /** The answer to the call that requested the run. */
  ToolResult.Complete requested(Run run, RunHandle handle, boolean replayed, Exchange exchange) {
    List<NextAction> actions = actions(exchange, true).of(run);
    JsonWriter structured = structured(run, handle);
    return replayed
        ? result(run, handle, isError(run), structured.put("replayed", true), actions, REPLAYED)
        : result(run, handle, isError(run), structured, actions, "");
  }

  /** The answer to a call that waited for the run. */
  public ToolResult.Complete awaited(Run run, RunHandle handle, Exchange exchange) {
    return unrepeatable(run, handle, isError(run), exchange);
  }

  /** The answer to a call that only shows the run: it succeeds whatever the run did. */
  public ToolResult.Complete shown(Run run, RunHandle handle, Exchange exchange) {
    return unrepeatable(run, handle, false, exchange);
  }

  private ToolResult.Complete unrepeatable(Run run, RunHandle handle, boolean isError, Exchange exchange) {
    List<NextAction> actions = actions(exchange, false).of(run);
    return result(run, handle, isError, structured(run, handle), actions, "");
  }

  private RunRemedies actions(Exchange exchange, boolean isRepeatable) {
    return new RunRemedies(refused.apply(exchange), isRepeatable);
  }

  private static boolean isError(Run run) {
    return switch (run.status()) {
      case AWAITING_APPROVAL, WAITING, RUNNING, SUCCEEDED -> false;
      case FAILED, CANCELLED, TIMED_OUT, LOCK_LOST, INTERRUPTED, REFUSED -> true;
    };
  }

  private static String outcome(Run run) {
    return switch (run.status()) {
      case WAITING -> isQueued(run) ? "queued" : "waiting";
      case FAILED, TIMED_OUT, LOCK_LOST -> "failed";
      case AWAITING_APPROVAL, RUNNING, SUCCEEDED, CANCELLED, INTERRUPTED, REFUSED -> run.status().toString();
    };
  }

  private JsonWriter structured(Run run, RunHandle handle) {
    JsonWriter json = JsonWriter.line().put("outcome", outcome(run));
    if (run.refusal() != null) {
      return json.members(ToolMembers.of(RunAnswers.refused(run, run.refusal(), estimates).members(false)));
    }
    json.members(ToolMembers.of(RunJson.run(run, step -> output(run, step))));
    if (run.lock() != null && run.lock().heartbeat() == Controls.Heartbeat.PROGRESS
        && run.status() == RunStatus.RUNNING) {
      handle.lastProgress().ifPresent(at -> json.put("last_progress_at", at));
    }
    handle.position().ifPresent(before -> json.put("position", before + 1));
    if (handle.waiting().orElse(null) instanceof RunHandle.WaitingInLine line
        && line.obstacle() instanceof Decision.Blocked(var lease, var _)) {
      json.put("held_by", LockJson.heldBy(lease));
    }
    return run.begun().isEmpty() ? json : json.put("log", log(run));
  }

  private ToolResult.Complete result(Run run, RunHandle handle, boolean isError, JsonWriter structured,
      List<NextAction> actions, String note) {
    Optional<LockEstimates.Estimate> estimate = estimates.of(run, handle);
    estimate.ifPresent(it -> it.addSecondsTo(structured));
    if (!actions.isEmpty()) {
      structured.list("next_actions", actions.stream().map(NextAction::json).toList());
    }
    String text = Excerpt.line(RunTaskText.sentence(run, handle.waiting()), MAX_SENTENCE)
        + estimate.map(it -> " " + it.sentence()).orElse("") + note
        + run.begun().stream().filter(step -> isInteresting(run, step)).map(step -> outputText(run, step))
            .collect(Collectors.joining())
        + actions.stream().map(action -> "\nNext: " + RunRemedies.line(action)).collect(Collectors.joining());
    return ToolResult.Complete.of(isError, text, structured);
  }

  private String outputText(Run run, StepRecord step) {
    String output = output(run, step);
    return output.isEmpty()
        ? ""
        : "\n\nOutput of " + step.logName() + " (all of it: " + log(run) + "):\n" + Excerpt.quoted(output);
  }

  /** Whether the output of a step explains the state of the run. */
  private static boolean isInteresting(Run run, StepRecord step) {
    return switch (step.status()) {
      case FAILED, TIMED_OUT, LOCK_LOST, INTERRUPTED, RUNNING -> true;
      case SUCCEEDED -> run.begun().getLast().equals(step) && step.kind() == StepRecord.Kind.STEP;
      case PENDING, CANCELLED, SKIPPED -> false;
    };
  }

  private String output(Run run, StepRecord step) {
    if (!step.hasBegun()) {
      return "";
    }
    try {
      return Excerpt.end(logs.tail(run, step),
          isInteresting(run, step) ? MAX_OUTPUT : MAX_OTHER_OUTPUT);
    } catch (StorageException e) {
      // The result matters more than the output.
      return "(" + e.publicMessage() + ")";
    }
  }
}
