package fleet.tower.service.call.overview;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import fleet.tower.lease.LeaseName;
import fleet.tower.platform.json.JsonWriter;

/**
 * A source of some sections of the overview. Its rows contain no value that changes with time alone, such as an age.
 * Calls may throw {@link fleet.tower.platform.StorageException}.
 */
interface OverviewSource {

  /** The names of its sections. */
  List<String> sections();

  /** Reads all rows. */
  Rows read();

  /** Reads only what concerns these locks; a source that cannot returns {@code last}. */
  default Rows refresh(Rows last, Set<LeaseName> locks) {
    return last;
  }

  /**
   * The rows of a source, as JSON by section and key.
   *
   * @param truncated the sections that have more rows than are shown
   */
  record Rows(Map<String, Map<String, String>> sections, Set<String> truncated) {
    /** The maximum number of rows of a section, which limits the memory of a snapshot. */
    static final int LIMIT = 20_000;

    /** No rows in any section. */
    static Rows empty(List<String> sections) {
      return new Builder(sections).build();
    }

    static Builder of(List<String> sections) {
      return new Builder(sections);
    }

    /** A copy to change. */
    Builder copy() {
      Builder copy = new Builder(List.of());
      sections.forEach((name, rows) -> copy.sections.put(name, new LinkedHashMap<>(rows)));
      copy.truncated.addAll(truncated);
      return copy;
    }

    /** The rows, with the maps of equal sections taken from {@code last}, so that they are compared at once. */
    Rows sharedWith(Rows last) {
      Map<String, Map<String, String>> shared = new LinkedHashMap<>(sections);
      shared.replaceAll((name, rows) -> rows.equals(last.sections.get(name)) ? last.sections.get(name) : rows);
      return new Rows(Collections.unmodifiableMap(shared), truncated);
    }
  }

  /** Rows that are being read. */
  final class Builder {
    private final Map<String, Map<String, String>> sections = new LinkedHashMap<>();
    private final Set<String> truncated = new LinkedHashSet<>();

    private Builder(List<String> names) {
      names.forEach(name -> sections.put(name, new LinkedHashMap<>()));
    }

    /** Sets a row, unless its section is full. */
    void put(String section, String key, JsonWriter row) {
      Map<String, String> rows = section(section);
      if (rows.size() < Rows.LIMIT || rows.containsKey(key)) {
        rows.put(key, row.end());
      } else {
        truncated.add(section);
      }
    }

    void remove(String section, String key) {
      section(section).remove(key);
    }

    /** States that a section has more rows. */
    void truncate(String section) {
      truncated.add(section);
    }

    private Map<String, String> section(String name) {
      Map<String, String> rows = sections.get(name);
      if (rows == null) {
        throw new IllegalStateException("the source has no section " + name);
      }
      return rows;
    }

    Rows build() {
      Map<String, Map<String, String>> all = new LinkedHashMap<>();
      sections.forEach((name, rows) -> all.put(name, Collections.unmodifiableMap(rows)));
      return new Rows(Collections.unmodifiableMap(all), Collections.unmodifiableSet(truncated));
    }
  }
}
