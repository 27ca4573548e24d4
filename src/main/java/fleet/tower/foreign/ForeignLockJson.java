package fleet.tower.foreign;

import java.util.Optional;

import fleet.tower.foreign.ForeignLock.Refusal;
import fleet.tower.foreign.ForeignLockState.Occupant;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/** Foreign locks as JSON, the same at all doors and in the records of runs. */
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
    JsonWriter json = JsonWriter.line().put("error", ErrorCode.FOREIGN_LOCK.code())
        .put("foreign_lock", refusal.name().toString()).put("holder", refusal.why().holder());
    return members(json, refusal.why()).put("suggestion", refusal.suggestion());
  }

  /** Reads what {@link #refusal} writes; empty if a member is missing. */
  public static Optional<Refusal> read(JsonObject json) {
    return json.text("foreign_lock")
        .flatMap(name -> blocking(json).map(why -> new Refusal(ForeignName.parse(name), why)));
  }

  private static Optional<ForeignLockState.Blocking> blocking(JsonObject json) {
    return json.text("problem").<ForeignLockState.Blocking>map(
        problem -> new ForeignLockState.Doubtful(problem, json.text("holder").orElse(null)))
        .or(() -> json.object("held_by").flatMap(ForeignLockJson::occupant).map(ForeignLockState.Held::new));
  }

  private static Optional<Occupant> occupant(JsonObject by) {
    return by.text("holder").map(holder -> new Occupant(holder, by.integer("pid").orElse(0),
        by.text("hostname").orElse(""), by.text("started_at").flatMap(Timestamps::parse).orElse(null)));
  }
}
