package fleet.tower.foreign;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLock.Refusal;
import fleet.tower.foreign.ForeignLockState.Occupant;
import fleet.tower.platform.json.JsonWriter;

/** What is told of foreign locks as JSON and in words, the same at every door. */
public final class ForeignLockJson {
  /** The error code for who is refused because of one. */
  public static final String ERROR = "foreign_lock";

  private ForeignLockJson() {}

  /** How one stands, in one word. */
  public static String state(ForeignLockState verdict) {
    return switch (verdict) {
      case ForeignLockState.Free _,ForeignLockState.Cleared _ -> "free";
      case ForeignLockState.Stale _ -> "stale";
      case ForeignLockState.Held _ -> "held";
      case ForeignLockState.Doubtful _ -> "doubtful";
    };
  }

  /** How one stands, behind "it is". */
  public static String describe(ForeignLockState verdict) {
    return switch (verdict) {
      case ForeignLockState.Free _ -> "free";
      case ForeignLockState.Cleared(Occupant occupant) -> "free: what the dead " + occupant + " had left was removed";
      case ForeignLockState.Stale(Occupant occupant) -> "stale: its holder " + occupant + " is dead";
      case ForeignLockState.Held(Occupant occupant) -> "held by " + occupant;
      case ForeignLockState.Doubtful(String problem, var _) -> "in doubt, which counts as held: " + problem;
    };
  }

  /** One as JSON. */
  public static JsonWriter verdict(ForeignName name, ForeignLockState verdict) {
    return members(JsonWriter.line().put("foreign_lock", name.toString()).put("state", state(verdict)), verdict);
  }

  private static JsonWriter members(JsonWriter json, ForeignLockState verdict) {
    return switch (verdict) {
      case ForeignLockState.Free() -> json;
      case ForeignLockState.Cleared(Occupant occupant) -> json.put("removed", heldBy(occupant));
      case ForeignLockState.Stale(Occupant occupant) -> json.put("held_by", heldBy(occupant));
      case ForeignLockState.Held(Occupant occupant) -> json.put("held_by", heldBy(occupant));
      case ForeignLockState.Doubtful(String problem, String holder) -> json.put("problem", problem).put("held_by",
          holder == null ? null : JsonWriter.line().put("holder", holder));
    };
  }

  private static JsonWriter heldBy(Occupant occupant) {
    JsonWriter json = JsonWriter.line().put("holder", occupant.holder());
    if (occupant.pid() != 0) {
      json.put("pid", occupant.pid());
    }
    if (!occupant.host().isEmpty()) {
      json.put("hostname", occupant.host());
    }
    return occupant.since() == null ? json : json.put("started_at", occupant.since());
  }

  /** Why somebody was refused. */
  public static String sentence(Refusal refusal) {
    return "foreign lock " + refusal.name() + " is " + describe(refusal.why());
  }

  /** The same as JSON. */
  public static JsonWriter refusal(Refusal refusal) {
    JsonWriter json = JsonWriter.line().put("error", ERROR).put("foreign_lock", refusal.name().toString());
    return members(json.put("holder", holder(refusal.why())), refusal.why()).put("suggestion", suggestion(refusal));
  }

  /** Who has it, as far as that is known. */
  public static @Nullable String holder(ForeignLockState verdict) {
    return switch (verdict) {
      case ForeignLockState.Free() -> null;
      case ForeignLockState.Cleared(Occupant occupant) -> occupant.holder();
      case ForeignLockState.Stale(Occupant occupant) -> occupant.holder();
      case ForeignLockState.Held(Occupant occupant) -> occupant.holder();
      case ForeignLockState.Doubtful(var _, String holder) -> holder;
    };
  }

  /** What who was refused may do. */
  public static String suggestion(Refusal refusal) {
    return switch (refusal.why()) {
      case ForeignLockState.Doubtful _ ->
        "Look at " + refusal.name().path() + "; what lies there has to be mended or removed by hand";
      case ForeignLockState.Held _ -> switch (refusal.name().kind()) {
        case BEADS -> "Wait until it is given back; if its holder is on another host and gone, remove "
            + refusal.name().path() + "/.exclusive-lock by hand";
        case FLOCK, PIDFILE -> "Wait until its holder is done";
        case TERRAFORM -> "Wait until Terraform is done; if it was killed, use `terraform force-unlock`";
      };
    };
  }

  /** A command that helps who was refused. */
  public static String command(Refusal refusal) {
    ForeignName name = refusal.name();
    return switch (refusal.why()) {
      case ForeignLockState.Doubtful _ -> "ls -l " + name.path();
      case ForeignLockState.Held(Occupant occupant) -> switch (name.kind()) {
        case BEADS -> "tower exclusive check " + name.path();
        case FLOCK -> "fuser -v " + name.path();
        case TERRAFORM -> "terraform -chdir=" + name.path() + " force-unlock LOCK_ID";
        case PIDFILE -> "ps -p " + occupant.pid();
      };
    };
  }

  /** That a scheduled run is left out, as the protocol's document has it. */
  public static String skipping(Refusal refusal) {
    String subject = subject(refusal.name());
    return switch (refusal.why()) {
      case ForeignLockState.Held(Occupant occupant) -> "Skipping " + subject + " (locked by " + occupant.holder() + ")";
      case ForeignLockState.Doubtful(String problem, var _) ->
        "Skipping " + subject + " (lock check failed: " + problem + ")";
    };
  }

  /** That a stale lock was removed, as the protocol's document has it. */
  static String removed(ForeignName name, Occupant occupant) {
    return "Removed stale lock (" + occupant.holder() + "), proceeding" + switch (name.kind()) {
      case BEADS -> " with sync";
      case FLOCK, TERRAFORM, PIDFILE -> " with " + name;
    };
  }

  private static String subject(ForeignName name) {
    return name.kind().subject().isEmpty() ? name.toString() : name.kind().subject();
  }
}
