package fleet.tower.service.web;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.RefusedCall;
import fleet.tower.answer.RefusedRequest;
import fleet.tower.answer.RunAnswers;
import fleet.tower.answer.RunJson;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.RunCallOutcome.Seen;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Nearest;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Run;
import fleet.tower.run.StepLogs;
import fleet.tower.run.StepLogs.MissingOutput;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunFeed;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.Runs;
import fleet.tower.service.call.Needs;
import fleet.tower.service.web.http.EventStream;
import fleet.tower.service.web.http.Query;
import fleet.tower.service.web.http.RefusedHttpRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** The call that streams the events of a run. */
@RestController
final class RunEvents {
  private static final String LINES = "lines";
  private static final String SIZES = "sizes";
  /** A timer may fire slightly early; after this delay a sign of life is certainly due. */
  private static final Duration BETWEEN_LOOKS = EventStream.BETWEEN_SIGNS.plusMillis(500);

  /** The interval between two sizes of a step's output. */
  private static final Duration BETWEEN_SIZES = Duration.ofMillis(200);

  private final Runs runs;
  private final LockEstimates estimates;
  private final StepLogs logs;
  private final Scheduler scheduler;
  private final TimeSource time;
  private final WaitingCalls endings;

  RunEvents(Runs runs, LockEstimates estimates, StepLogs logs, Scheduler scheduler, TimeSource time,
      WaitingCalls endings) {
    this.runs = runs;
    this.estimates = estimates;
    this.logs = logs;
    this.scheduler = scheduler;
    this.time = time;
    this.endings = endings;
  }

  /** The run of this id. */
  static RunHandle find(String text, Runs runs) {
    RequestId id = new RequestId(text);
    return runs.find(id).orElseThrow(() -> new RefusedCall(RunAnswers.notFound(id)));
  }

  /** The events of a run until it ends or the client is gone; resumes after the last event seen. */
  @Needs(Role.VIEWER)
  @GetMapping(path = "/runs/{id}/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  void events(@PathVariable("id") String id, Query query, Caller caller, HttpServletRequest request,
      HttpServletResponse response) throws IOException {
    query.allow("last_event_id", "output");
    boolean isSizesOnly = isSizesOnly(query.text("output").orElse(LINES));
    String seen = Optional.ofNullable(request.getHeader("Last-Event-ID")).or(() -> query.text("last_event_id"))
        .orElse(null);
    RunHandle handle = find(id, runs);
    RunFeed all = seen == null ? RunFeed.of(handle, logs) : RunFeed.after(seen, handle, logs);
    RunFeed feed = isSizesOnly ? all.withSizesOnly() : all;
    if (feed.isOver()) {
      // 204 is the only answer that stops a browser from reconnecting.
      response.setStatus(HttpServletResponse.SC_NO_CONTENT);
      return;
    }
    EventStream stream = new EventStream(response, caller, time);
    if (!request.getMethod().equals("GET")) {
      return;
    }
    try (var _ = endings.whenRevoked(caller, handle::wake)) {
      send(feed, handle, stream, new RefusedHttpRequest(request));
    }
  }

  private static boolean isSizesOnly(String output) {
    return switch (output) {
      case LINES -> false;
      case SIZES -> true;
      default -> throw CommonProblems.invalid("output", "'output' must be lines or sizes",
          Nearest.of(output, List.of(LINES, SIZES)).map(near -> "did you mean " + near + "?")
              .orElse("correct the value or omit it"));
    };
  }

  private void send(RunFeed feed, RunHandle handle, EventStream stream, RefusedRequest refused) {
    String sent = "";
    while (!feed.isOver() && stream.isHeard() && !endings.isClosing()) {
      String waiting = waiting(handle);
      if (!waiting.isEmpty() && !waiting.equals(sent)) {
        stream.event(null, "run_waiting", waiting);
        sent = waiting;
      }
      Scheduler.Pending look = scheduler.after(BETWEEN_LOOKS, handle::wake);
      List<RunFeed.Event> events = feed.next();
      look.cancel();
      events.forEach(event -> send(event, handle, stream, refused));
      if (!feed.isOver() && events.stream().anyMatch(RunFeed.OutputSize.class::isInstance)) {
        // The next look finds what the output has grown to by then, so that the last size is always sent.
        scheduler.pause(BETWEEN_SIZES);
      }
    }
  }

  /** What the run waits for; empty if it does not wait or this is not known. */
  private static String waiting(RunHandle handle) {
    if (handle.waiting().orElse(null) instanceof RunHandle.WaitingForTool(var refusal, var _)) {
      return JsonWriter.line().put("foreign_lock", refusal.name().toString()).put("state", refusal.why().describe())
          .end();
    }
    OptionalInt position = handle.position();
    return position.isPresent() ? JsonWriter.line().put("position", position.getAsInt() + 1).end() : "";
  }

  private void send(RunFeed.Event event, RunHandle handle, EventStream stream, RefusedRequest refused) {
    switch (event) {
      case RunFeed.StepStarted(String id, StepRecord step) ->
        stream.event(id, "step_started", RunJson.started(step).end());
      case RunFeed.OutputMissing(StepRecord step, MissingOutput missing) -> stream.event(null, "output_missing",
          missing(step, missing).end());
      case RunFeed.OutputSize(String id, StepRecord step, long size) -> stream.event(id, "output_size",
          RunJson.named(step).put("log", step.logName()).put("size", size).end());
      case RunFeed.Line(String id, StepRecord step, String text) -> stream.event(id, "output",
          RunJson.named(step).put("text", text).end());
      case RunFeed.Heartbeat(var at) -> stream.event(null, "heartbeat", JsonWriter.line().put("at", at).end());
      case RunFeed.HeartbeatFailed(RunHandle.HeartbeatFailure failed) -> stream.event(null, "heartbeat_failed",
          JsonWriter.line().put("at", failed.at()).put("consecutive_failures", failed.consecutiveFailures())
              .put("error", failed.error()).end());
      case RunFeed.StepFinished(String id, StepRecord step) ->
        stream.event(id, "step_finished", RunJson.finished(step).end());
      case RunFeed.RunFinished(String id, var run) -> stream.event(id, "run_finished",
          finished(run, handle, refused).end());
    }
  }

  private JsonWriter finished(Run run, RunHandle handle, RefusedRequest refused) {
    return Answer.Done.body(RunAnswers.json(new Seen(run, handle, logs, Optional.empty()), estimates),
        RunAnswers.remedies(run), refused);
  }

  private static JsonWriter missing(StepRecord step, MissingOutput missing) {
    JsonWriter json = RunJson.named(step).put("log", step.logName()).put("host_id", missing.hostId());
    return (missing.isLost() ? json.put("lost", true) : json).put("note", missing.note());
  }
}
