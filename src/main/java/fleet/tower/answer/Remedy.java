package fleet.tower.answer;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.operation.Ask;
import fleet.tower.operation.Given;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.Operation;
import fleet.tower.operation.RunOperations;

/**
 * What helps after a refusal, before the door that received the request turns it into a {@link NextAction} for
 * its caller.
 *
 * @param needed the role that may take it; null for anyone, even without a token
 * @param owner the actor who may take it as an agent too, or alone if no role is needed; null for none
 */
public record Remedy(What what, String why, @Nullable Role needed, @Nullable String owner) {

  private Remedy(What what, String why, @Nullable Role needed) {
    this(what, why, needed, null);
  }

  /** What to do. */
  public sealed interface What {}

  /** An operation. */
  public record Asks(Ask ask) implements What {}

  /** A command without an equivalent operation; null for what cannot be typed. */
  record Typed(@Nullable String command) implements What {}

  /**
   * The refused request again, with changes.
   *
   * @param intent the intent to run instead; null for the same
   */
  public record Again(List<Change> changes, @Nullable String intent) implements What {
    public Again {
      changes = List.copyOf(changes);
    }
  }

  /** What the door lists or documents about the request: a list that works, or the help of a command. */
  record Listing() implements What {}

  /** A change of a repeated request. */
  public sealed interface Change {

    /** The request with this change, unless it is a change of its id, which a door may choose itself. */
    default Ask to(Ask ask) {
      return switch (this) {
        case Waiting(long seconds) -> ask.with(LockOperations.WAIT, seconds);
        case Forced(boolean force) -> ask.with(LockOperations.FORCE, force);
        case Queued() -> ask.with(RunOperations.QUEUE, true);
        case NewId(),Planned _ -> ask;
      };
    }

    /** It waits for its lock. */
    record Waiting(long seconds) implements Change {}

    /** It takes a stale lock by force, or no longer does. */
    record Forced(boolean force) implements Change {}

    /** It has an id that the caller must choose. */
    record NewId() implements Change {}

    /** It is queued for an executor with room. */
    record Queued() implements Change {}

    /**
     * It is only planned.
     *
     * @param command what a terminal shows instead of the plan; null for the plan
     */
    record Planned(@Nullable String command) implements Change {}
  }

  /** An operation, by a caller whose role suffices. */
  public static Remedy ask(Operation operation, Given given, String why) {
    return new Remedy(new Asks(new Ask(operation, given)), why, operation.role());
  }

  /** The same remedy, which only the actor may take. */
  public Remedy onlyFor(String actor) {
    return new Remedy(what, why, null, actor);
  }

  /** The same remedy, which the actor may take, and an operator. */
  public Remedy ownedBy(String actor) {
    return new Remedy(what, why, Role.OPERATOR, actor);
  }

  /** A command without an equivalent operation. */
  public static Remedy command(@Nullable Role needed, String command, String why) {
    return new Remedy(new Typed(command), why, needed);
  }

  /** What to do, when there is nothing to send or type. */
  public static Remedy advice(String why) {
    return new Remedy(new Typed(null), why, null);
  }

  /** The refused request again. */
  public static Remedy again(String why, Change... changes) {
    return new Remedy(new Again(List.of(changes), null), why, Role.VIEWER);
  }

  /** The refused request again, by a caller with another role. */
  public static Remedy again(Role needed, String why, Change... changes) {
    return new Remedy(new Again(List.of(changes), null), why, needed);
  }

  /** The refused request again, for another intent. */
  public static Remedy insteadOf(String intent, String why) {
    return new Remedy(new Again(List.of(), intent), why, Role.VIEWER);
  }

  /** What the door lists or documents about the request. */
  public static Remedy listing() {
    return new Remedy(new Listing(), "", null);
  }
}
