package fleet.tower.service.web.task;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

import fleet.tower.access.Caller;
import fleet.tower.answer.TaskJson;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.service.web.http.EventStream;
import fleet.tower.task.Task;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.TaskStore;
import fleet.tower.task.Tasks;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Streams the events of a task as server-sent events. Any process may change a task, so the database is polled. A
 * completed task never changes again, and its stream ends.
 */
final class TaskStream implements ApplicationListener<ContextClosedEvent> {
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

  /** Sends all events after {@code seen} until the task is completed or the client is gone. */
  void send(TaskId id, long seen, Caller caller, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
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

  private boolean isCompleted(TaskId id) {
    return tasks.get(id).map(Task.View::task).map(Task::status).filter(TaskStatus.COMPLETED::equals).isPresent();
  }

  private List<TaskEvent> events(TaskId id, long seen) {
    return tasks.events(new TaskStore.EventQuery(id, seen, BATCH));
  }
}
