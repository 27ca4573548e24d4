package fleet.tower.lock.freeze;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/** Freezes as JSON and as text, for all doors. */
public final class FreezeJson {
  /** The error code of an unfreeze without a freeze. */
  public static final String NOT_FROZEN = "not_frozen";

  private FreezeJson() {}

  public static JsonWriter members(JsonWriter json, Freeze freeze) {
    json.put("lock_name", freeze.name().value()).put("request_id", freeze.requestId().value())
        .put("actor", freeze.actor());
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
      case FreezeState.Frozen(Freeze freeze) -> members(JsonWriter.line(), freeze);
      case FreezeState.Unreadable(String path, String problem) -> JsonWriter.line().put("lock_name", name.value())
          .put("problem", problem).put("freeze_path", path);
    };
  }

  /** A lifted freeze. */
  public static JsonWriter unfrozen(LeaseName name, FreezeState lifted) {
    return JsonWriter.line().put("lock_name", name.value()).put("unfrozen", true).put("previous_freeze",
        lifted instanceof FreezeState.Frozen(Freeze freeze) ? members(JsonWriter.line(), freeze) : null);
  }

  /**
   * A freeze in a few words, as {@code frozen by ann until 2025-12-18T11:00:10Z: migration}; empty if there is none.
   */
  public static String describe(FreezeState state) {
    return switch (state) {
      case FreezeState.None() -> "";
      case FreezeState.Frozen(Freeze freeze) -> "frozen by " + freeze.actor() + " until "
          + Timestamps.format(freeze.expiresAt()) + ": " + freeze.reason();
      case FreezeState.Unreadable(String path, String problem) ->
        "frozen by " + path + ", which cannot be read: " + problem;
    };
  }
}
