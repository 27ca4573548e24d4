package fleet.tower.intent;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The intents that can be run now. They are read again when they change; a file that has become wrong keeps its last good
 * version, and its mistakes are among the {@link #complaints}.
 */
public interface Catalogue {
  /** A name in which more letters than that are wrong is not meant. */
  int FARTHEST = 3;
  /** More names than that help nobody. */
  int MOST_CLOSEST = 3;

  Optional<Intent> find(String name);

  /** All of them, in the order of their names. */
  List<Intent> list();

  /** Names of intents that are like one that there is not; the closest first. */
  default List<String> closest(String name) {
    return list().stream().map(Intent::name).filter(known -> known.startsWith(name) || name.startsWith(known)
        || distance(known, name) <= FARTHEST).sorted(Comparator.comparingInt(known -> distance(known, name)))
        .limit(MOST_CLOSEST).toList();
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

  /** How many letters must be put in, taken out or changed to make one name of the other. */
  private static int distance(String one, String other) {
    if (Math.abs(one.length() - other.length()) > FARTHEST) {
      return Math.max(one.length(), other.length());
    }
    int[] row = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int above = row[j];
        int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(Math.min(row[j - 1], above) + 1, changed);
        diagonal = above;
      }
    }
    return row[other.length()];
  }
}
