package fleet.tower.task;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;

/**
 * The definition of a task, given when the task is created; it never changes.
 *
 * @param priority tasks with a higher priority are offered first
 * @param dependsOn the tasks that must be completed first
 * @param project the project whose queue the task is in; null for none
 * @param assignee the agent that a resume offers the task to first; null for none
 * @param work the intent that does the task; null if the agent decides how to do it
 */
public record TaskSpec(String title, String description, int priority, List<TaskId> dependsOn, @Nullable String project,
    @Nullable Agent assignee, @Nullable Work work) {
  public static final int MAX_PRIORITY = 1_000_000;
  public static final int MAX_DEPENDENCIES = 256;
  private static final int MAX_TITLE = 256;
  private static final int MAX_TEXT = 16 * 1024;
  private static final int MAX_PROJECT = 128;

  public TaskSpec {
    requireText("title", title, 1, MAX_TITLE, false);
    InvalidValue.requirePlain("title", title);
    requireText("description", description, 0, MAX_TEXT, true);
    InvalidValue.requirePlainLines("description", description);
    dependsOn = List.copyOf(dependsOn).stream().distinct().toList();
    if (project != null) {
      requireText("project", project, 1, MAX_PROJECT, false);
      InvalidValue.requirePlain("project", project);
    }
    require(Math.abs((long) priority) <= MAX_PRIORITY,
        "priority " + priority + " is outside -" + MAX_PRIORITY + " to " + MAX_PRIORITY);
    require(dependsOn.size() <= MAX_DEPENDENCIES,
        "a task may depend on " + MAX_DEPENDENCIES + " others, not on " + dependsOn.size() + "; add a task in between");
  }

  /** A spec with a title and nothing else. */
  public static TaskSpec of(String title) {
    return new TaskSpec(title, "", 0, List.of(), null, null, null);
  }

  /** The same task, which an intent does. */
  public TaskSpec by(Work intent) {
    return new TaskSpec(title, description, priority, dependsOn, project, assignee, intent);
  }

  /**
   * An intent and its parameters.
   *
   * @param params a JSON object
   */
  public record Work(String intent, String params) {
    public Work {
      requireText("intent", intent, 1, MAX_PROJECT, false);
      requireText("params", params, 2, MAX_TEXT, true);
      try {
        JsonReader.readObject(params);
      } catch (JsonException e) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST, "params are not a JSON object: " + e.getMessage());
      }
    }
  }

  /** Appends the members of a stored request, whose form never changes: repeated requests are recognized by it. */
  JsonWriter stored(JsonWriter json) {
    json.put("title", title).put("description", description).put("priority", priority)
        .list("depends_on", dependsOn.stream().map(id -> JsonWriter.quote(id.value())).toList())
        .put("project", project);
    if (assignee != null) {
      json.put("assigned_to", assignee.name());
    }
    return work == null ? json : json.put("intent", work.intent()).raw("params", work.params());
  }

  /** Requires a text that every database and every terminal accepts unchanged. */
  static void requireText(String what, String text, int min, int max, boolean mayHaveLines) {
    int length = text.codePointCount(0, text.length());
    require(length >= min && length <= max && !(min > 0 && text.isBlank()),
        what + " must have " + min + " to " + max + " characters, not " + (text.isBlank() ? 0 : length));
    require(text.codePoints().allMatch(c -> isPlain(c) || (mayHaveLines && (c == '\n' || c == '\t' || c == '\r'))),
        what + " " + InvalidValue.shown(text) + " has a control character; leave it out");
  }

  private static boolean isPlain(int c) {
    return !Character.isISOControl(c) && Character.getType(c) != Character.SURROGATE;
  }

  private static void require(boolean isValid, String problem) {
    if (!isValid) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, problem);
    }
  }
}
