package fleet.tower.service.mcp.task;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Run;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.Runs;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * Runs as tasks of the protocol. A task has the id of its run and nothing else that is stored, so it survives the
 * service, and every host of a fleet has it: a run is recorded before its first step.
 */
public final class RunTasks {
  private static final int MAX_MESSAGE = 200;
  private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);
  private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(5);

  private final Runs runs;
  private final RunResults results;
  private final TimeSource time;
  private final Duration retention;

  /** @param retention how long the record of a run is kept after its end; zero keeps it forever */
  public RunTasks(Runs runs, RunResults results, TimeSource time, Duration retention) {
    this.runs = runs;
    this.results = results;
    this.time = time;
    this.retention = retention;
  }

  /** The run of a task; empty if there is none. */
  Optional<RunHandle> find(String taskId) {
    return RequestId.isValid(taskId) ? runs.find(new RequestId(taskId)) : Optional.empty();
  }

  /** A task with its result, if it is completed; empty if there is none with this id. */
  public Optional<JsonWriter> detailed(String taskId, Exchange exchange) {
    return find(taskId).map(handle -> detailed(handle, exchange));
  }

  /** The task of a run, with its result if it is completed. */
  public JsonWriter detailed(RunHandle handle, Exchange exchange) {
    Run run = handle.run();
    JsonWriter task = task(run, handle);
    return status(run).equals("completed")
        ? task.put("result", result(results.awaited(run, handle, exchange)))
        : task;
  }

  private static JsonWriter result(ToolResult.Complete result) {
    JsonWriter json = JsonWriter.line().put("resultType", "complete").list("content", result.content());
    if (result.structured() != null) {
      json.raw("structuredContent", result.structured());
    }
    return json.put("isError", result.isError());
  }

  /** A task without its result. */
  JsonWriter task(Run run, RunHandle handle) {
    Instant created = run.header().createdAt();
    Duration age = between(created, run.finishedAt() == null ? time.now() : run.finishedAt());
    JsonWriter task = JsonWriter.line().put("taskId", run.requestId().value()).put("status", status(run))
        .put("statusMessage", Excerpt.line(RunTaskText.state(run, handle.waiting()), MAX_MESSAGE))
        .put("createdAt", created).put("lastUpdatedAt", updated(run));
    // Retention counts from the end of a run, and this from its beginning.
    task = retention.isZero()
        ? task.raw("ttlMs", "null")
        : task.put("ttlMs", age.plus(retention).toMillis());
    return run.status().isFinished() ? task : task.put("pollIntervalMs", interval(age).toMillis());
  }

  private static String status(Run run) {
    return switch (run.status()) {
      case AWAITING_APPROVAL, WAITING, RUNNING -> "working";
      case SUCCEEDED, FAILED, TIMED_OUT, LOCK_LOST, INTERRUPTED, REFUSED -> "completed";
      case CANCELLED -> "cancelled";
    };
  }

  /** The clocks of two hosts may differ. */
  private static Duration between(Instant from, Instant to) {
    Duration age = Duration.between(from, to);
    return age.isNegative() ? Duration.ZERO : age;
  }

  /** A tenth of the age of the run. */
  private static Duration interval(Duration age) {
    Duration tenth = Duration.ofMillis(age.toMillis() / 10);
    if (tenth.compareTo(SHORTEST_INTERVAL) < 0) {
      return SHORTEST_INTERVAL;
    }
    return tenth.compareTo(LONGEST_INTERVAL) > 0 ? LONGEST_INTERVAL : tenth;
  }

  /** The last moment that the record of the run has. */
  private static Instant updated(Run run) {
    Instant latest = run.header().createdAt();
    for (StepRecord step : run.begun()) {
      if (step.startedAt() != null) {
        latest = later(latest, step.startedAt().plusMillis(step.durationMillis()));
      }
    }
    return run.finishedAt() == null ? latest : later(latest, run.finishedAt());
  }

  private static Instant later(Instant one, Instant other) {
    return one.isBefore(other) ? other : one;
  }
}
