package fleet.tower.answer;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLock.Refusal;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignLockState.Occupant;
import fleet.tower.foreign.ForeignName;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunRefusalJson;

/** Foreign locks as JSON, the same at both doors. */
public final class ForeignLockJson {
  private ForeignLockJson() {}

  /** The state of a foreign lock in one word. */
  private static String word(ForeignLockState state) {
    return switch (state) {
      case ForeignLockState.Free _,ForeignLockState.Cleared _ -> "free";
      case ForeignLockState.Stale _ -> "stale";
      case ForeignLockState.Held _ -> "held";
      case ForeignLockState.Doubtful _ -> "doubtful";
    };
  }

  /** A foreign lock and its state. */
  public static JsonWriter state(ForeignName name, ForeignLockState state) {
    return members(JsonWriter.line().put("foreign_lock", name.toString()).put("state", word(state)), state);
  }

  private static JsonWriter members(JsonWriter json, ForeignLockState state) {
    return switch (state) {
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

  /** The answer to a request that was refused because of a foreign lock. */
  public static JsonWriter refusal(Refusal refusal) {
    return RunRefusalJson.write(new RunRefusal.ForeignLocked(refusal));
  }

  /** The holder, as far as it is known. */
  public static @Nullable String holder(ForeignLockState state) {
    return switch (state) {
      case ForeignLockState.Free() -> null;
      case ForeignLockState.Cleared(Occupant occupant) -> occupant.holder();
      case ForeignLockState.Stale(Occupant occupant) -> occupant.holder();
      case ForeignLockState.Held(Occupant occupant) -> occupant.holder();
      case ForeignLockState.Doubtful(var _, String holder) -> holder;
    };
  }
}
