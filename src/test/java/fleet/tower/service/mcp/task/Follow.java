package fleet.tower.service.mcp.task;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.RefusedRequest;
import fleet.tower.answer.Remedy;
import fleet.tower.harness.Await;
import fleet.tower.operation.Ask;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.Runs;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.run.submit.TestExecutor;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.wire.Exchange;

/** Calls that request runs and follow them, on an executor with manual time and processes. */
public final class Follow implements AutoCloseable {
  static final Duration TASK_AFTER = Duration.ofSeconds(2);
  static final Duration ANSWER_WITHIN = Duration.ofSeconds(45);
  static final Duration RETENTION = Duration.ofDays(90);
  private static final Executor THREADS = work -> Thread.ofVirtual().start(work);

  public final TestExecutor works;
  public final FollowLimits limits = new FollowLimits(TASK_AFTER, ANSWER_WITHIN);
  public final RunWaits waits;
  public final RunResults results;
  public final RunTasks tasks;
  public final TasksFeature feature;
  public final FollowedRuns followed;

  public Follow(Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
    waits = new RunWaits(works.time, works.processes);
    results = new RunResults(works.processes, new LockEstimates(works.locks, works.runs, works.time), Repeater::new);
    tasks = new RunTasks(works.runs, results, works.time, RETENTION);
    feature = new TasksFeature(tasks, works.runs);
    followed = followed(works.runs, works.time);
  }

  FollowedRuns followed(Runs runs, Scheduler scheduler) {
    return new FollowedRuns(runs, new RunWaits(scheduler, works.processes), results, tasks, limits);
  }

  /** A request that can be repeated, by a caller with some role. */
  public record Repeater(Exchange exchange) implements RefusedRequest {
    @Override
    public boolean permits(@Nullable Role needed) {
      return needed == null || exchange.caller().role().covers(needed);
    }

    @Override
    public boolean permitsIntent(String intent) {
      return exchange.caller().allows(intent);
    }

    @Override
    public NextAction again(List<Remedy.Change> changes, @Nullable String intent, String why) {
      return NextAction.command("repeat " + changes, why);
    }

    @Override
    public boolean isCaller(String actor) {
      return exchange.caller().name().equals(actor);
    }

    @Override
    public NextAction asking(Ask ask, String why) {
      return ask.operation().tool() == null
          ? RefusedRequest.super.asking(ask, why)
          : NextAction.tool(ask.operation().tool().name(), ask.arguments().end(), why);
    }

    @Override
    public NextAction listing() {
      return NextAction.advice("list");
    }
  }

  /** Submits a request and follows its run on a thread of its own. */
  CompletableFuture<ToolResult> call(RunRequest request, Exchange exchange) {
    return CompletableFuture.supplyAsync(() -> submitted(request, exchange), THREADS);
  }

  private ToolResult submitted(RunRequest request, Exchange exchange) {
    return switch (works.runs.submit(request)) {
      case SubmitOutcome.Accepted(RunHandle handle, boolean replayed) ->
        followed.follow(handle, replayed, request.terms().patience().toSeconds(), exchange);
      case SubmitOutcome.Refusal rejected -> throw new AssertionError("rejected: " + rejected);
    };
  }

  static RunRequest request(String intent, String id, Duration patience) {
    return TestExecutor.request(intent, id, new LockTerms(false, patience));
  }

  /** Waits until so many timers of a delay are pending. */
  public void awaitTimers(Duration delay, int count) {
    Await.until(count + " timers of " + delay,
        () -> works.time.pendingDelays().stream().filter(delay::equals).count() == count);
  }

  /** The structured content of a result that is not a task. */
  public static JsonObject structured(ToolResult result) {
    if (result instanceof ToolResult.Complete(boolean _, List<String> _, String structured) && structured != null) {
      return RecordedExchange.json(structured);
    }
    throw new AssertionError("not structured: " + result);
  }

  /** The text of a result that is not a task. */
  public static String text(ToolResult result) {
    if (result instanceof ToolResult.Complete complete) {
      return RecordedExchange.json(complete.content().getFirst()).text("text").orElseThrow();
    }
    throw new AssertionError("not complete: " + result);
  }

  public static boolean isError(ToolResult result) {
    return result instanceof ToolResult.Complete complete && complete.isError();
  }

  @Override
  public void close() {
    works.close();
  }
}
