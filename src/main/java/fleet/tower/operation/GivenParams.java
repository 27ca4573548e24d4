package fleet.tower.operation;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Values;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;

/** The {@code params} of a request body. */
public final class GivenParams {
  private static final int MAX_PARAMS = 100;

  private GivenParams() {}

  /** The parameters that are given; none without an object. */
  public static Map<String, Values.Given> of(@Nullable JsonObject params) {
    if (params == null) {
      return Map.of();
    }
    if (params.members().size() > MAX_PARAMS) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "'params' has " + params.members().size() + " members; send at most " + MAX_PARAMS);
    }
    Map<String, Values.Given> given = new LinkedHashMap<>();
    params.members().forEach((name, value) -> given.put(name, Values.Given.of(value)));
    return given;
  }
}
