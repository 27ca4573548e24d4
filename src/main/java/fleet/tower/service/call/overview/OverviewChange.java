package fleet.tower.service.call.overview;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonWriter;

/**
 * The difference between two states of the overview: applied to the first, it gives the second.
 *
 * @param set the new and the changed rows, by section and key; each replaces a complete row
 * @param removed the keys of removed rows, by section
 * @param truncated the sections that have more rows than are shown now; null if they are the same
 */
record OverviewChange(Map<String, Map<String, String>> set, Map<String, List<String>> removed,
    @Nullable Set<String> truncated) {

  static OverviewChange between(OverviewState before, OverviewState after) {
    Map<String, Map<String, String>> set = new LinkedHashMap<>();
    Map<String, List<String>> removed = new LinkedHashMap<>();
    after.sections().forEach((name, rows) -> {
      Map<String, String> old = before.sections().getOrDefault(name, Map.of());
      // The maps of an unchanged section are the same object, so this is cheap.
      if (!rows.equals(old)) {
        putIfAny(set, name, changed(old, rows));
        List<String> gone = old.keySet().stream().filter(key -> !rows.containsKey(key)).toList();
        if (!gone.isEmpty()) {
          removed.put(name, gone);
        }
      }
    });
    return new OverviewChange(set, removed,
        after.truncated().equals(before.truncated()) ? null : after.truncated());
  }

  private static Map<String, String> changed(Map<String, String> old, Map<String, String> rows) {
    Map<String, String> changed = new LinkedHashMap<>();
    rows.forEach((key, row) -> {
      if (!row.equals(old.get(key))) {
        changed.put(key, row);
      }
    });
    return changed;
  }

  private static void putIfAny(Map<String, Map<String, String>> set, String name, Map<String, String> rows) {
    if (!rows.isEmpty()) {
      set.put(name, rows);
    }
  }

  boolean isEmpty() {
    return set.isEmpty() && removed.isEmpty() && truncated == null;
  }

  JsonWriter json(OverviewState after) {
    JsonWriter rows = JsonWriter.line();
    set.forEach((name, changed) -> rows.put(name, OverviewState.rows(changed)));
    JsonWriter keys = JsonWriter.line();
    removed.forEach((name, gone) -> keys.list(name, OverviewState.quoted(gone)));
    JsonWriter json = JsonWriter.line().put("as_of", after.asOf()).put("set", rows).put("removed", keys);
    return truncated == null ? json : json.list("truncated", OverviewState.quoted(truncated));
  }
}
