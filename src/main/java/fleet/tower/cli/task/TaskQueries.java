package fleet.tower.cli.task;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

import fleet.tower.answer.Reply;
import fleet.tower.answer.TaskJson;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.text.Nearest;
import fleet.tower.task.Agent;
import fleet.tower.task.Task;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.TaskStore;

/** The commands {@code tower task list|get|events}, which read tasks. */
public final class TaskQueries {
  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_LIMIT = 10_000;
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

  private final Home home;
  private final Console console;
  private final Function<Arguments, TaskClient> clients;

  public TaskQueries(Home home, Console console, Function<Arguments, TaskClient> clients) {
    this.home = home;
    this.console = console;
    this.clients = clients;
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(
        new Command("task list", List.of(), "list tasks in the order they are offered",
            List.of(value("status", "S", "only tasks that are pending, in_progress, completed or blocked"),
                TaskOptions.PROJECT, value("claimed-by", "A", "only tasks that this agent has claimed"),
                value("limit", "N", "at most N (default 100)"), Option.cursor(), flag("ids", "print only the ids")),
            this::list),
        new Command("task get", List.of("TASK"), "show one task", List.of(), this::get),
        new Command("task events", List.of("TASK"), "list the events of a task, oldest first",
            List.of(value("after", "ID", "only events after this one"),
                value("limit", "N", "at most N (default 100)"),
                flag("follow", "continue with new events as they arrive")),
            this::events));
  }

  private Reply list(Arguments arguments) {
    TaskStore.Query query = new TaskStore.Query(arguments.value("status").map(TaskQueries::status).orElse(null),
        arguments.value("project").orElse(null), arguments.value("claimed-by").map(Agent::new).orElse(null),
        limit(arguments));
    try (TaskClient client = clients.apply(arguments)) {
      Rows<Task> tasks = client.list(query, arguments.value(Cursor.PARAMETER).orElse(null));
      Reply reply = Reply.lazily(Exit.DONE, () -> TaskJson.list(tasks));
      if (arguments.has("ids")) {
        tasks.rows().forEach(task -> reply.data(task.id().value()));
        return next(reply, tasks);
      }
      if (tasks.isEmpty()) {
        return reply.data("no tasks");
      }
      TaskReplies.table(tasks.rows()).forEach(reply::data);
      return next(reply, tasks);
    }
  }

  private Reply get(Arguments arguments) {
    TaskId id = TaskOptions.task(arguments);
    try (TaskClient client = clients.apply(arguments)) {
      Task task = client.find(id).orElseThrow(() -> TaskReplies.unknown(id));
      return TaskReplies.one(Reply.lazily(Exit.DONE, () -> TaskJson.task(task)), task);
    }
  }

  private Reply events(Arguments arguments) {
    TaskId id = TaskOptions.task(arguments);
    long after = arguments.number("after").orElse(0L);
    try (TaskClient client = clients.apply(arguments)) {
      if (arguments.has("follow")) {
        return follow(client, id, after, arguments.has("json"));
      }
      Rows<TaskEvent> events = client.events(id, after, limit(arguments));
      if (events.isEmpty() && client.find(id).isEmpty()) {
        throw TaskReplies.unknown(id);
      }
      Reply reply = Reply.lazily(Exit.DONE, () -> TaskJson.events(events));
      events.rows().forEach(event -> reply.data(TaskReplies.line(event)));
      return more(reply, events);
    }
  }

  private static Reply next(Reply reply, Rows<Task> tasks) {
    return tasks.next() == null ? reply : reply.words("there are more tasks: --cursor " + tasks.next());
  }

  private static Reply more(Reply reply, Rows<TaskEvent> events) {
    return events.isTruncated()
        ? reply.words("there are more, but the list would be too large; continue with --after")
        : reply;
  }

  private Reply follow(TaskClient client, TaskId id, long after, boolean asJson) {
    if (client.find(id).isEmpty()) {
      throw TaskReplies.unknown(id);
    }
    long seen = after;
    while (!console.isClosed()) {
      List<TaskEvent> events = client.events(id, seen, DEFAULT_LIMIT).rows();
      for (TaskEvent event : events) {
        if (asJson) {
          console.json(TaskJson.event(event).end());
        } else {
          console.data(TaskReplies.line(event));
        }
        seen = event.id();
      }
      if (events.isEmpty()) {
        home.scheduler().pause(BETWEEN_LOOKS);
      }
    }
    return Reply.of(Exit.DONE, JsonWriter.line());
  }

  private static int limit(Arguments arguments) {
    long limit = arguments.number("limit").orElse((long) DEFAULT_LIMIT);
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new UsageError("--limit must be 1 to " + MAX_LIMIT);
    }
    return (int) limit;
  }

  private static TaskStatus status(String text) {
    List<String> known = Arrays.stream(TaskStatus.values()).map(TaskStatus::toString).toList();
    return TaskStatus.of(text).orElseThrow(() -> new UsageError("--status '" + text + "' must be one of "
        + String.join(", ", known) + Nearest.of(text, known).map(near -> "; did you mean " + near + "?").orElse("")));
  }
}
