package fleet.tower.task;

import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonWriter;

/** A command that changes tasks. */
public sealed interface TaskCommand {
  /** The default ttl of a claim: five minutes without a heartbeat. */
  Ttl DEFAULT_TTL = new Ttl(300);

  /** The name of the command, the same at every door. */
  String word();

  /** The arguments as a JSON object; two calls with the same request id must have the same ones. */
  String arguments();

  /**
   * The identity of a request: an agent and its request id. A request is performed once, however often it is repeated.
   *
   * @param caller the actor for the audit log, which is not part of the identity; null for the agent itself
   * @param token the name of the caller's token, to which the claim and an earlier request must belong; null to compare
   *     only the agent, which every caller may name
   */
  record Call(Agent agent, RequestId requestId, @Nullable Actor caller, @Nullable String token) {

    /** A call without a token. */
    public Call(Agent agent, RequestId requestId, @Nullable Actor caller) {
      this(agent, requestId, caller, null);
    }

    /** The actor that the audit log names. */
    public Actor actor() {
      return caller == null ? new Actor(agent.name(), null, null) : caller;
    }

  }

  /**
   * Creates a task.
   *
   * @param id the id of the task; null to generate one
   */
  record Create(@Nullable TaskId id, TaskSpec spec) implements TaskCommand {
    @Override
    public String word() {
      return "create";
    }

    @Override
    public String arguments() {
      return spec.stored(JsonWriter.line().put("id", id == null ? null : id.value())).end();
    }
  }

  /**
   * Claims the best available task.
   *
   * @param project only tasks of this project; null for any
   * @param withIntent whether to claim only a task that names an intent
   */
  record Claim(@Nullable String project, Ttl ttl, boolean withIntent) implements TaskCommand {
    public Claim {
      requireProject(project);
    }

    @Override
    public String word() {
      return "claim";
    }

    @Override
    public String arguments() {
      JsonWriter json = JsonWriter.line().put("project", project).put("ttl_seconds", ttl.seconds());
      return withIntent ? json.put("with_intent", true).end() : json.end();
    }
  }

  /**
   * Resumes the agent's own task, or claims the next one.
   *
   * @param project only tasks of this project; null for any
   * @param attempt the attempt of the caller's claim on the agent's focus; a later claim of the same agent is not
   *     renewed. Empty to compare only the agent
   */
  record Resume(@Nullable String project, Ttl ttl, OptionalLong attempt) implements TaskCommand {
    public Resume {
      requireProject(project);
      requireAttempt(attempt);
    }

    @Override
    public String word() {
      return "resume";
    }

    @Override
    public String arguments() {
      return withAttempt(JsonWriter.line().put("project", project).put("ttl_seconds", ttl.seconds()), attempt);
    }
  }

  /**
   * Claims a given task, or renews the claim on it.
   *
   * @param attempt the attempt of the caller's claim; a later claim of the same agent is not renewed. Empty to compare
   *     only the agent
   */
  record Start(TaskId id, Ttl ttl, OptionalLong attempt) implements TaskCommand {
    public Start {
      requireAttempt(attempt);
    }

    @Override
    public String word() {
      return "start";
    }

    @Override
    public String arguments() {
      return withAttempt(JsonWriter.line().put("id", id.value()).put("ttl_seconds", ttl.seconds()), attempt);
    }
  }

  /** A command that only the holder of a claim may give. */
  sealed interface ByHolder extends TaskCommand {
    TaskId id();

    /** The attempt of the caller's claim; empty to compare only the agent. */
    OptionalLong attempt();

    TaskTransition move();
  }

  /** Renews a claim for at least {@code ttl}; never shortens it. */
  record Heartbeat(TaskId id, OptionalLong attempt, Ttl ttl) implements ByHolder {
    public Heartbeat {
      requireAttempt(attempt);
    }

    @Override
    public TaskTransition move() {
      return TaskTransition.HEARTBEAT;
    }

    @Override
    public String word() {
      return "heartbeat";
    }

    @Override
    public String arguments() {
      return withAttempt(JsonWriter.line().put("id", id.value()).put("ttl_seconds", ttl.seconds()), attempt);
    }
  }

  /** The outcome with which a task is closed. */
  enum Ending {
    /** The task is completed. */
    DONE,
    /** The task is blocked. */
    BLOCKED;

    @Override
    public String toString() {
      return this == DONE ? "done" : "blocked";
    }
  }

  /**
   * Closes a task.
   *
   * @param reason why the task is blocked, or what was done; may be null. A blocked task whose reason begins with
   *     {@value #FAILURE} is not resumed
   */
  record Close(TaskId id, OptionalLong attempt, Ending ending, @Nullable String reason) implements ByHolder {
    public static final String FAILURE = "failure:";
    public static final int MAX_REASON = 256;

    public Close {
      requireAttempt(attempt);
      if (reason != null) {
        TaskSpec.requireText("reason", reason, 1, MAX_REASON, false);
        InvalidValue.requirePlainLines("reason", reason);
      }
    }

    @Override
    public TaskTransition move() {
      return switch (ending) {
        case DONE -> TaskTransition.COMPLETE;
        case BLOCKED -> TaskTransition.BLOCK;
      };
    }

    @Override
    public String word() {
      return "close";
    }

    @Override
    public String arguments() {
      return withAttempt(
          JsonWriter.line().put("id", id.value()).put("outcome", ending.toString()).put("reason", reason), attempt);
    }
  }

  /** Returns a task to the queue. */
  record Release(TaskId id, OptionalLong attempt) implements ByHolder {
    public Release {
      requireAttempt(attempt);
    }

    @Override
    public TaskTransition move() {
      return TaskTransition.RELEASE;
    }

    @Override
    public String word() {
      return "release";
    }

    @Override
    public String arguments() {
      return withAttempt(JsonWriter.line().put("id", id.value()), attempt);
    }
  }

  /** Removes all expired claims, so that their tasks show as unclaimed. They can be claimed without it. */
  record Expire() implements TaskCommand {
    @Override
    public String word() {
      return "gc";
    }

    @Override
    public String arguments() {
      return "{}";
    }
  }

  private static String withAttempt(JsonWriter json, OptionalLong attempt) {
    return attempt.isPresent() ? json.put("attempt", attempt.getAsLong()).end() : json.end();
  }

  private static void requireProject(@Nullable String project) {
    if (project != null) {
      TaskSpec.requireText("project", project, 1, 128, false);
    }
  }

  private static void requireAttempt(OptionalLong attempt) {
    if (attempt.isPresent() && attempt.getAsLong() < 1) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "attempt " + attempt.getAsLong()
          + " is not a positive number; give the attempt that your claim returned");
    }
  }
}
