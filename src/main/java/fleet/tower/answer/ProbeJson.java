package fleet.tower.answer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.Observation;

/** What probes see, as JSON, the same at all doors. */
final class ProbeJson {
  private ProbeJson() {}

  /**
   * What a probe sees, and what of it is not as desired.
   *
   * @param desired the state that must hold, as JSON; null if there is none
   */
  static JsonWriter of(Observation seen, @Nullable String desired) {
    JsonWriter json = seen.json();
    if (desired == null) {
      return json;
    }
    json.raw("desired", desired);
    return seen instanceof Observation.Unknown
        ? json
        : json.put("as_desired", seen.holds(desired)).list("differences",
            seen.differences(desired).stream().map(difference -> difference.json().end()).toList());
  }
}
