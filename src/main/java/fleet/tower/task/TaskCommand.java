package fleet.tower.task;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonWriter;

/** Something that an agent wants to be changed. */
public sealed interface TaskCommand {
  /** How long a claim lives without a heartbeat, unless it is said otherwise: five minutes. */
  Ttl DEFAULT_TTL = new Ttl(300);

  /** The command's word at every door. */
  String word();

  /** All that was asked for, as a JSON object: two calls with one request id must agree in this. */
  String arguments();

  /**
   * Who asks, and for which of its requests. The same request of the same agent is done once, however often it is asked for.
   *
   * @param caller who asks, for the audit log; it makes a request no other one. Null where only the request is known: then it is the
   *     agent
   */
  record Call(Agent agent, RequestId requestId, @Nullable Actor caller) {
    /** Only what makes a request this one. */
    public Call(Agent agent, RequestId requestId) {
      this(agent, requestId, null);
    }

    /** Who asks, as the audit log names it. */
    public Actor actor() {
      return caller == null ? new Actor(agent.name(), null, null) : caller;
    }

    public Call {
      requireNonNull(agent);
      requireNonNull(requestId);
    }
  }

  /**
   * Makes a task.
   *
   * @param id the id it gets; null to have one made
   */
  record Create(@Nullable TaskId id, TaskSpec spec) implements TaskCommand {
    public Create {
      requireNonNull(spec);
    }

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
   * Takes the best task that is to be had.
   *
   * @param project only of this project; null for any
   * @param withIntent only one that names an intent, as who runs intents wants them
   */
  record Claim(@Nullable String project, Ttl ttl, boolean withIntent) implements TaskCommand {
    public Claim {
      requireProject(project);
      requireNonNull(ttl);
    }

    /** Of whatever kind. */
    public Claim(@Nullable String project, Ttl ttl) {
      this(project, ttl, false);
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
   * Goes on with what the agent was at, or takes the next task.
   *
   * @param project only of this project; null for any
   * @param attempt of the caller's claim on the focus: a later claim of the same agent is then not renewed; without it the
   *     agent's name says enough
   */
  record Resume(@Nullable String project, Ttl ttl, OptionalLong attempt) implements TaskCommand {
    public Resume {
      requireProject(project);
      requireNonNull(ttl);
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
   * Takes one task that is named.
   *
   * @param attempt of the caller's claim: a later claim of the same agent is then not renewed; without it the agent's name
   *     says enough
   */
  record Start(TaskId id, Ttl ttl, OptionalLong attempt) implements TaskCommand {
    public Start {
      requireNonNull(id);
      requireNonNull(ttl);
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

  /** What only the holder of a claim may do. */
  sealed interface ByHolder extends TaskCommand {
    TaskId id();

    /** Of the claim that the caller has; without it the agent's name says enough. */
    OptionalLong attempt();

    TaskTransition move();
  }

  /** Keeps a claim alive; it then lives at least for {@code ttl}, and never shorter than it would have. */
  record Heartbeat(TaskId id, OptionalLong attempt, Ttl ttl) implements ByHolder {
    public Heartbeat {
      requireNonNull(id);
      requireAttempt(attempt);
      requireNonNull(ttl);
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

  /** How a task is closed. */
  enum Ending {
    /** It is completed. */
    DONE,
    /** It is blocked. */
    BLOCKED;

    @Override
    public String toString() {
      return this == DONE ? "done" : "blocked";
    }
  }

  /**
   * Ends the work on a task.
   *
   * @param reason why it is blocked, or what was done; null to say nothing. A blocked task whose reason begins with
   *     {@value #FAILURE} is not what its agent resumes
   */
  record Close(TaskId id, OptionalLong attempt, Ending ending, @Nullable String reason) implements ByHolder {
    public static final String FAILURE = "failure:";
    public static final int MAX_REASON = 256;

    public Close {
      requireNonNull(id);
      requireAttempt(attempt);
      requireNonNull(ending);
      if (reason != null) {
        TaskSpec.requireText("reason", reason, 1, MAX_REASON, false);
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

  /** Gives a task back to the queue. */
  record Release(TaskId id, OptionalLong attempt) implements ByHolder {
    public Release {
      requireNonNull(id);
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

  /** Takes all expired claims away, so that their tasks are seen to be nobody's. They are claimable without it. */
  record Sweep() implements TaskCommand {
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
          + " is not a number from 1 on; give the attempt that the answer to your claim named");
    }
  }
}
