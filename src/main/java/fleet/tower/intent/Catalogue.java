package fleet.tower.intent;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.text.Nearest;

/**
 * The intents that can be run. Changed files are read again; a file that becomes invalid keeps its last valid
 * version, and its mistakes are listed in {@link #complaints}.
 */
public interface Catalogue {
  Optional<Intent> find(String name);

  /** The same, as its file and the files that its steps execute are at this moment, whatever was read before. */
  default Optional<Intent> current(String name) {
    return find(name);
  }

  /** All intents, ordered by name. */
  List<Intent> list();

  /** The names of intents similar to an unknown name; the closest first. */
  default List<String> closest(String name) {
    return Nearest.all(name, list().stream().map(Intent::name).toList());
  }

  /** The names of an intent's secret parameters; for an unknown intent, those of intents with similar names. */
  default Set<String> secrets(String name) {
    return find(name).map(List::of).orElseGet(() -> closest(name).stream().flatMap(it -> find(it).stream()).toList())
        .stream().flatMap(intent -> intent.params().stream()).filter(Parameter::secret).map(Parameter::name)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The errors and warnings about the files. */
  List<Complaint> complaints();

  /** An error or a warning at one position in a file; lines and columns start at 1. */
  record Complaint(String file, int line, int column, boolean isError, @Nullable String intent, String message) {
    @Override
    public String toString() {
      return file + ":" + line + ":" + column + ": " + (isError ? "" : "warning: ") + message;
    }
  }
}
