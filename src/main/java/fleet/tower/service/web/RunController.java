package fleet.tower.service.web;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.CommonProblems;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.queue.Wait;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.text.Nearest;
import fleet.tower.run.RunStore;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.run.Preference;
import fleet.tower.service.call.run.RunCalls;
import fleet.tower.service.web.http.HttpAsked;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.NoBody;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Maps the paths of runs to their calls. */
@RestController
@RequestMapping("/runs")
final class RunController {
  private static final String ONE = "/{id}";
  private static final String LINES = "lines";
  private static final String SIZES = "sizes";
  private static final String WAIT_SECONDS = "wait_seconds";
  private static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 1000;

  private final RunCalls calls;
  private final RunEvents events;

  RunController(RunCalls calls, RunEvents events) {
    this.calls = calls;
    this.events = events;
  }

  @Needs(Role.VIEWER)
  @GetMapping(produces = MediaType.APPLICATION_JSON_VALUE)
  void newest(Query query, HttpServletResponse response) throws IOException {
    query.allow("intent", "status", "actor", "lock_name", "since", "id_prefix", "limit",
        Cursor.PARAMETER);
    RunStore.Query wanted = new RunStore.Query(query.text("intent").orElse(null),
        query.text("status").map(RunCalls::status).orElse(null), query.text("actor").orElse(null),
        query.text("lock_name").map(LeaseName::new).map(LeaseName::value).orElse(null),
        query.moment("since").orElse(null), query.text("id_prefix").orElse(null),
        query.integer("limit", 1, MAX_LIMIT).orElse(DEFAULT_LIMIT));
    Page page = wanted.page(query.cursor());
    Json.page(response, "runs", JsonWriter.line(), page, rows -> calls.list(wanted.of(page), rows::add));
  }

  @Needs(Role.VIEWER)
  @GetMapping(path = ONE, produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> one(@PathVariable("id") String id, Query query, Caller caller, HttpServletRequest http) {
    query.allow(WAIT_SECONDS);
    Preference preference = query.integer(WAIT_SECONDS, 0, (int) Wait.MAX_SECONDS)
        .map(seconds -> new Preference(Duration.ofSeconds(seconds), null)).orElseGet(new HttpRun(http)::preference);
    return Json.answer(calls.state(calls.find(id), preference, caller, new HttpAsked(http)));
  }

  @Needs(Role.AGENT)
  @PostMapping(path = ONE + "/cancel", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> cancel(@PathVariable("id") String id, NoBody body, Caller caller, HttpServletRequest http) {
    return Json.answer(calls.cancel(id, caller, new HttpAsked(http)));
  }

  @Needs(Role.AGENT)
  @PostMapping(path = ONE + "/beat", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> beat(@PathVariable("id") String id, NoBody body, Caller caller) {
    return Json.answer(calls.beat(id, caller));
  }

  /** The events of a run until it ends; resumes after the last event seen. */
  @Needs(Role.VIEWER)
  @GetMapping(path = ONE + "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  void events(@PathVariable("id") String id, Query query, Caller caller, HttpServletRequest request,
      HttpServletResponse response) throws IOException {
    query.allow("last_event_id", "output");
    boolean isSizesOnly = isSizesOnly(query.text("output").orElse(LINES));
    String seen = Optional.ofNullable(request.getHeader("Last-Event-ID")).or(() -> query.text("last_event_id"))
        .orElse(null);
    events.send(calls.find(id), new RunEvents.Wanted(seen, isSizesOnly), caller, request, response);
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
}
