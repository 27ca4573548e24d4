package fleet.tower.intent;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.text.Nearest;

/**
 * The intents that can be run now. They are read again when they change; a file that has become wrong keeps its last good
 * version, and its mistakes are among the {@link #complaints}.
 */
public interface Catalogue {
  Optional<Intent> find(String name);

  /** All of them, in the order of their names. */
  List<Intent> list();

  /** Names of intents that are like one that there is not; the closest first. */
  default List<String> closest(String name) {
    return Nearest.all(name, list().stream().map(Intent::name).toList());
  }

  /** What is wrong with the files, and what is doubtful. */
  List<Complaint> complaints();

  /** Something wrong or doubtful at one place of one file; lines and columns count from 1. */
  record Complaint(String file, int line, int column, boolean isError, @Nullable String intent, String message) {
    @Override
    public String toString() {
      return file + ":" + line + ":" + column + ": " + (isError ? "" : "warning: ") + message;
    }
  }
}
