package fleet.tower.answer;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeState;
import fleet.tower.platform.json.JsonWriter;

/** Freezes as JSON, the same at both doors. */
public final class FreezeJson {
  private FreezeJson() {}

  /** A freeze. */
  public static JsonWriter freeze(Freeze freeze) {
    JsonWriter json = JsonWriter.line().put("lock_name", freeze.name().value())
        .put("request_id", freeze.requestId().value()).put("actor", freeze.actor());
    if (freeze.onBehalfOf() != null) {
      json.put("on_behalf_of", freeze.onBehalfOf());
    }
    return json.put("reason", freeze.reason()).put("created_at", freeze.createdAt())
        .put("ttl_seconds", freeze.ttl().seconds()).put("expires_at", freeze.expiresAt());
  }

  /** The freeze of a name; null if there is none. */
  public static @Nullable JsonWriter frozen(LeaseName name, FreezeState state) {
    return switch (state) {
      case FreezeState.None() -> null;
      case FreezeState.Frozen(Freeze freeze) -> freeze(freeze);
      case FreezeState.Corrupt(String path, String problem) -> JsonWriter.line().put("lock_name", name.value())
          .put("problem", problem).put("freeze_path", path);
    };
  }

  /** A freeze that was lifted. */
  public static JsonWriter unfrozen(LeaseName name, FreezeState lifted) {
    return JsonWriter.line().put("lock_name", name.value()).put("unfrozen", true).put("previous_freeze",
        lifted instanceof FreezeState.Frozen(Freeze freeze) ? freeze(freeze) : null);
  }
}
