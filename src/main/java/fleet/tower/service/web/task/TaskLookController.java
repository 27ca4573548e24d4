package fleet.tower.service.web.task;

import java.io.IOException;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.TaskJson;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.task.TaskCalls;
import fleet.tower.service.call.task.TaskProblems;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Query;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskStore;
import fleet.tower.task.Tasks;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Calls that list tasks and show their events. */
@RestController
@RequestMapping("/tasks")
final class TaskLookController {
  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_LIMIT = 10_000;
  private static final String LIMIT = "limit";
  private static final String LAST_EVENT_ID = "last_event_id";

  private final Tasks tasks;
  private final TaskCalls calls;
  private final TaskStream stream;

  TaskLookController(Tasks tasks, TaskCalls calls, TaskStream stream) {
    this.tasks = tasks;
    this.calls = calls;
    this.stream = stream;
  }

  /** The tasks in the order they are offered. */
  @Needs(Role.VIEWER)
  @GetMapping(produces = MediaType.APPLICATION_JSON_VALUE)
  void list(Query query, HttpServletResponse response) throws IOException {
    query.allow("status", "project", "claimed_by", LIMIT, Cursor.PARAMETER);
    TaskStore.Query asked = new TaskStore.Query(query.text("status").map(TaskCalls::status).orElse(null),
        query.text("project").orElse(null), query.text("claimed_by").map(Agent::new).orElse(null), limit(query));
    Page page = asked.page(query.cursor());
    Json.envelopedPage(response, TaskJson.TASKS, page, rows -> calls.list(asked.of(page), rows::add));
  }

  @Needs(Role.VIEWER)
  @GetMapping(path = "/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<byte[]> get(@PathVariable("id") String id, Query query) {
    query.allow();
    return Json.answer(calls.view(id));
  }

  /** The events of a task; as a stream, new events too. */
  @Needs(Role.VIEWER)
  @GetMapping(path = "/{id}/events", produces = {MediaType.APPLICATION_JSON_VALUE,
      MediaType.TEXT_EVENT_STREAM_VALUE})
  @Nullable
  ResponseEntity<byte[]> events(@PathVariable("id") String id, Query query, Caller caller,
      HttpServletRequest request, HttpServletResponse response) throws IOException {
    query.allow("after", LIMIT, LAST_EVENT_ID);
    TaskId task = new TaskId(id);
    if (tasks.get(task).isEmpty()) {
      return Json.answer(TaskProblems.unknown(task));
    }
    if (isStream(request)) {
      long seen = Optional.ofNullable(request.getHeader("Last-Event-ID")).or(() -> query.text(LAST_EVENT_ID))
          .map(TaskLookController::place).orElseGet(() -> after(query));
      stream.send(task, seen, caller, request, response);
      return null;
    }
    long after = after(query);
    int limit = limit(query);
    Json.enveloped(response, TaskJson.EVENTS,
        rows -> tasks.events(task, after, limit, event -> rows.add(TaskJson.event(event))));
    return null;
  }

  private static boolean isStream(HttpServletRequest request) {
    String accept = request.getHeader("Accept");
    return accept != null && MediaType.parseMediaTypes(accept).stream()
        .anyMatch(type -> type.isCompatibleWith(MediaType.TEXT_EVENT_STREAM) && !type.isWildcardType());
  }

  private static long after(Query query) {
    return query.text("after").map(TaskLookController::place).orElse(0L);
  }

  private static long place(String text) {
    if (!text.matches("\\d{1,18}")) {
      throw CommonProblems.invalid("after", "'after' and Last-Event-ID must be the id of an event",
          "omit it to start with the first event");
    }
    return Long.parseLong(text);
  }

  private static int limit(Query query) {
    return query.integer(LIMIT, 1, MAX_LIMIT).orElse(DEFAULT_LIMIT);
  }
}
