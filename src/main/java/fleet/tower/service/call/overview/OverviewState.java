package fleet.tower.service.call.overview;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import fleet.tower.platform.json.JsonWriter;

/**
 * The overview at one moment.
 *
 * @param asOf the moment since when no readable section was read
 * @param sections the rows as JSON, by section and key
 * @param truncated the sections that have more rows than are shown
 * @param problems why sections cannot be read, by section; such a section has the rows that were read last
 */
record OverviewState(Instant asOf, Map<String, Map<String, String>> sections, Set<String> truncated,
    Map<String, String> problems) {

  /** The members that show all of it. */
  JsonWriter json(String hostId, String version) {
    JsonWriter json = JsonWriter.line().put("as_of", asOf).put("host_id", hostId).put("version", version);
    sections.forEach((name, rows) -> json.put(name, rows(rows)));
    return truncated.isEmpty() ? json : json.list("truncated", quoted(truncated));
  }

  /** The moment alone, or why some sections are not as of that moment. */
  JsonWriter news() {
    JsonWriter json = JsonWriter.line().put("as_of", asOf);
    return problems.isEmpty()
        ? json
        : json.put("problem", problem()).list("sections", quoted(problems.keySet()));
  }

  /** Why sections cannot be read, in a sentence; empty if all can. */
  String problem() {
    return String.join("; ", Set.copyOf(problems.values()).stream().sorted().toList());
  }

  static JsonWriter rows(Map<String, String> rows) {
    JsonWriter json = JsonWriter.line();
    rows.forEach(json::raw);
    return json;
  }

  static List<String> quoted(Iterable<String> names) {
    List<String> quoted = new ArrayList<>();
    names.forEach(name -> quoted.add(JsonWriter.quote(name)));
    return quoted;
  }
}
