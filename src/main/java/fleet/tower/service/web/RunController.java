package fleet.tower.service.web;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.cli.reply.RunJson;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Nearest;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.BeatOutcome;
import fleet.tower.run.submit.CancelOutcome;
import fleet.tower.run.submit.Runs;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Needs;
import fleet.tower.service.web.http.NoBody;
import fleet.tower.service.web.http.Problems;
import fleet.tower.service.web.http.Query;
import fleet.tower.service.web.http.Rejected;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Calls that list, follow and cancel runs. */
@RestController
@RequestMapping("/runs")
final class RunController {
  private static final String ONE = "/{id}";
  private static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 1000;

  private final Runs runs;
  private final RunReplies replies;
  private final RunEvents events;

  RunController(Runs runs, RunReplies replies, RunEvents events) {
    this.runs = runs;
    this.replies = replies;
    this.events = events;
  }

  @Needs(Role.VIEWER)
  @GetMapping(produces = MediaType.APPLICATION_JSON_VALUE)
  void newest(Query query, HttpServletResponse response) throws IOException {
    query.allow("intent", "status", "actor", "lock_name", "since", "id_prefix", "limit");
    RunStore.Query wanted = new RunStore.Query(query.text("intent").orElse(null),
        query.text("status").map(RunController::status).orElse(null), query.text("actor").orElse(null),
        query.text("lock_name").map(LeaseName::new).map(LeaseName::value).orElse(null),
        query.moment("since").orElse(null), query.text("id_prefix").orElse(null),
        query.integer("limit", 1, MAX_LIMIT).orElse(DEFAULT_LIMIT));
    Json.rows(response, "runs", JsonWriter.line(),
        rows -> runs.read(wanted, run -> rows.add(RunJson.summary(run))));
  }

  private static RunStatus status(String text) {
    List<String> known = Arrays.stream(RunStatus.values()).map(RunStatus::toString).toList();
    return Arrays.stream(RunStatus.values()).filter(status -> status.toString().equals(text)).findFirst()
        .orElseThrow(() -> Problems.invalid("status", "unknown status", Nearest.of(text, known)
            .map(near -> "did you mean " + near + "?").orElse("use one of " + String.join(", ", known))));
  }

  @Needs(Role.VIEWER)
  @GetMapping(path = ONE, produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> one(@PathVariable("id") String id, Query query, Caller caller, HttpServletRequest http) {
    query.allow();
    return replies.state(ticket(id), RunCall.preference(http), caller);
  }

  @Needs(Role.AGENT)
  @PostMapping(path = ONE + "/cancel", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> cancel(@PathVariable("id") String text, NoBody body, Caller caller) {
    RunHandle ticket = ticket(text);
    RequestId id = new RequestId(text);
    caller.requireOwn(ticket.run().header().origin().actor().name(), "cancel run " + id);
    return switch (runs.cancel(id)) {
      case CancelOutcome.Requested() -> Json.answer(HttpStatus.ACCEPTED, Map.of("Location", "/runs/" + id),
          replies.json(ticket.run(), ticket));
      case CancelOutcome.Finished() -> RunProblems.finished(id).answer();
      case CancelOutcome.Elsewhere(OptionalLong pid) -> RunProblems.elsewhere(id, pid).answer();
      case CancelOutcome.NotFound() -> RunProblems.unknownRun(id).answer();
    };
  }

  /** Reports progress of a run, as {@code tower beat} in a step does. */
  @Needs(Role.AGENT)
  @PostMapping(path = ONE + "/beat", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> beat(@PathVariable("id") String text, NoBody body, Caller caller) {
    RunHandle ticket = ticket(text);
    RequestId id = new RequestId(text);
    caller.requireOwn(ticket.run().header().origin().actor().name(), "report progress of run " + id);
    return switch (runs.beat(id)) {
      case BeatOutcome.Recorded() -> Json.ok(RunJson.beat(id, true));
      case BeatOutcome.NotNeeded() -> Json.ok(RunJson.beat(id, false));
      case BeatOutcome.Finished() -> RunProblems.tooLate(id).answer();
      case BeatOutcome.NotFound() -> RunProblems.unknownRun(id).answer();
    };
  }

  /** The events of a run until it ends; resumes after the last event seen. */
  @Needs(Role.VIEWER)
  @GetMapping(path = ONE + "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  void events(@PathVariable("id") String id, Query query, Caller caller, HttpServletRequest request,
      HttpServletResponse response) throws IOException {
    query.allow("last_event_id");
    String seen = Optional.ofNullable(request.getHeader("Last-Event-ID")).or(() -> query.text("last_event_id"))
        .orElse(null);
    events.send(ticket(id), seen, caller, request, response);
  }

  private RunHandle ticket(String text) {
    RequestId id = new RequestId(text);
    return runs.find(id).orElseThrow(() -> new Rejected(RunProblems.unknownRun(id)));
  }
}
