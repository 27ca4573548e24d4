package fleet.tower.service.web;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.TaskAnswers;
import fleet.tower.answer.TaskJson;
import fleet.tower.operation.TaskOperations;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.service.call.Needs;
import fleet.tower.service.web.http.EventStream;
import fleet.tower.service.web.http.ProblemDocument;
import fleet.tower.service.web.http.Query;
import fleet.tower.task.Task;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.TaskStore;
import fleet.tower.task.Tasks;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Streams the events of a task as server-sent events; {@link TaskOperations#EVENTS} lists them. Any process may change a
 * task, so the database is polled. A completed task never changes again, and its stream ends.
 */
@RestController
public final class TaskStream implements ApplicationListener<ContextClosedEvent> {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);
  private static final int BATCH = 100;

  private final Tasks tasks;
  private final Scheduler scheduler;
  private final TimeSource time;
  private volatile boolean closing;

  TaskStream(Tasks tasks, Scheduler scheduler, TimeSource time) {
    this.tasks = tasks;
    this.scheduler = scheduler;
    this.time = time;
  }

  /** A stopping service waits for its answers, so streams end. */
  @Override
  public void onApplicationEvent(ContextClosedEvent event) {
    closing = true;
  }

  /** Sends all events after a given one, until the task is completed or the client is gone. */
  @Needs(Role.VIEWER)
  @GetMapping(path = "/tasks/{id}/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  void send(@PathVariable("id") String name, Query query, Caller caller, HttpServletRequest request,
      HttpServletResponse response) throws IOException {
    query.allow("after", "limit", "last_event_id");
    TaskId id = new TaskId(name);
    if (tasks.get(id).isEmpty()) {
      ProblemDocument.writeEnveloped(TaskAnswers.unknown(id), request, response);
      return;
    }
    long seen = Optional.ofNullable(request.getHeader("Last-Event-ID")).or(() -> query.text("last_event_id"))
        .or(() -> query.text("after")).map(TaskStream::place).orElse(0L);
    boolean isOver = isCompleted(id);
    List<TaskEvent> events = events(id, seen);
    if (isOver && events.isEmpty()) {
      // 204 is the only answer that stops a browser from reconnecting.
      response.setStatus(HttpServletResponse.SC_NO_CONTENT);
      return;
    }
    EventStream stream = new EventStream(response, caller, time);
    if (!request.getMethod().equals("GET")) {
      return;
    }
    long place = seen;
    while (stream.isHeard() && !closing) {
      for (TaskEvent event : events) {
        stream.event(Long.toString(event.id()), event.kind().toString(), TaskJson.event(event).end());
        place = event.id();
      }
      if (events.isEmpty()) {
        if (isOver) {
          return;
        }
        scheduler.pause(BETWEEN_LOOKS);
      }
      // Read in this order, so that the events include everything before the completion.
      isOver = isCompleted(id);
      events = events(id, place);
    }
  }

  private static long place(String text) {
    if (!text.matches("\\d{1,18}")) {
      throw CommonProblems.invalid("after", "'after' and Last-Event-ID must be the id of an event",
          "omit it to start with the first event");
    }
    return Long.parseLong(text);
  }

  private boolean isCompleted(TaskId id) {
    return tasks.get(id).map(Task.View::task).map(Task::status).filter(TaskStatus.COMPLETED::equals).isPresent();
  }

  private List<TaskEvent> events(TaskId id, long seen) {
    return tasks.events(new TaskStore.EventQuery(id, seen, BATCH));
  }
}
