package fleet.tower.cli.task;

import java.util.ArrayList;
import java.util.List;

import fleet.tower.answer.Reply;
import fleet.tower.answer.Table;
import fleet.tower.answer.TaskText;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.list.Rows;

/** What a terminal shows of tasks, from the data of the answers. */
final class TaskLayout {
  private TaskLayout() {}

  /** The id of a task that was created or claimed; exit 3 if none is available, and 6 if the claim is lost. */
  static Reply claimed(Reply reply, JsonObject data) {
    Reply held = held(reply, data);
    return held.exit().equals(Exit.DONE) ? held.data(text(data.object("task").orElseThrow(), "id")) : held;
  }

  /** Exit 6 if the claim is lost. */
  static Reply held(Reply reply, JsonObject data) {
    if (data.object("task").isEmpty()) {
      return reply.ending(Exit.NOT_FOUND);
    }
    return TaskText.isLost(data) ? reply.ending(Exit.LOST) : reply;
  }

  /** The tasks whose claims were removed. */
  static Reply swept(Reply reply, JsonObject data) {
    data.texts("task_ids").forEach(reply::data);
    return reply;
  }

  /** Tasks as a table, or only their ids. */
  static Reply list(Reply reply, JsonObject data, boolean onlyIds) {
    List<JsonObject> tasks = data.objects("tasks");
    if (onlyIds) {
      tasks.forEach(task -> reply.data(text(task, "id")));
    } else if (tasks.isEmpty()) {
      reply.data("no tasks");
    } else {
      List<List<String>> rows = new ArrayList<>();
      rows.add(List.of("TASK", "STATUS", "PRIORITY", "PROJECT", "CLAIMED BY", "UNTIL", "ATTEMPT", "TITLE"));
      tasks.forEach(task -> rows.add(row(task)));
      Table.lines(rows).forEach(reply::data);
    }
    data.text(Rows.NEXT).ifPresent(next -> reply.words("there are more tasks: --cursor " + next));
    return reply;
  }

  private static List<String> row(JsonObject task) {
    boolean isExpired = task.get("claim_active") instanceof JsonValue.Bool active && !active.value();
    return List.of(text(task, "id"), text(task, "status") + (isExpired ? ",expired" : ""), number(task, "priority"),
        text(task, "project"), text(task, "claimed_by"), text(task, "claim_expires_at"), number(task, "attempt"),
        text(task, "title"));
  }

  /** One task with all its details. */
  static Reply one(Reply reply, JsonObject task) {
    reply.data(text(task, "id") + ": " + TaskText.standing(task)).data("  title       " + text(task, "title"));
    text(task, "description").lines().forEach(line -> reply.data("              " + line));
    reply.data("  priority    " + number(task, "priority"));
    task.text("project").ifPresent(project -> reply.data("  project     " + project));
    List<String> dependencies = task.texts("depends_on");
    if (!dependencies.isEmpty()) {
      reply.data("  depends on  " + String.join(", ", dependencies));
    }
    task.text("assigned_to").ifPresent(agent -> reply.data("  assigned    " + agent));
    task.text("intent").ifPresent(intent -> reply.data("  intent      " + intent + " "
        + task.object("params").map(JsonObject::raw).orElse("{}")));
    task.text("claimed_at").ifPresent(at -> reply.data("  claimed at  " + at)
        .data("  heartbeat   " + text(task, "last_heartbeat_at")));
    return reply.data("  attempts    " + number(task, "attempt"))
        .data("  created     " + text(task, "created_at") + " by " + text(task, "created_by"));
  }

  /** The events of a task. */
  static Reply events(Reply reply, JsonObject data) {
    data.objects("events").forEach(event -> reply.data(line(event)));
    return data.get(Rows.TRUNCATED) == null
        ? reply
        : reply.words("there are more, but the list would be too large; continue with --after");
  }

  /** An event as one line. */
  static String line(JsonObject event) {
    String owner = event.text("owner").filter(one -> !one.equals(text(event, "agent"))).map(one -> " of " + one)
        .orElse("");
    String attempt = number(event, "attempt");
    String detail = event.object("detail").map(JsonObject::raw).orElse("{}");
    return number(event, "id") + "  " + text(event, "at") + "  " + text(event, "kind") + owner
        + (attempt.equals("0") ? "" : " (attempt " + attempt + ")") + " by " + text(event, "agent")
        + (detail.equals("{}") ? "" : " " + detail);
  }

  private static String text(JsonObject json, String member) {
    return json.text(member).orElse("");
  }

  private static String number(JsonObject json, String member) {
    return Long.toString(json.integer(member).orElse(0));
  }
}
