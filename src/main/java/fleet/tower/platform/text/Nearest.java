package fleet.tower.platform.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The names that somebody who mistyped most likely meant. */
public final class Nearest {
  private static final int MAX_DISTANCE = 2;
  private static final int SHORTEST_BEGINNING = 3;
  /** More names than that help nobody. */
  private static final int MOST = 3;

  private Nearest() {}

  /** The closest of the names, if one is close enough. */
  public static Optional<String> of(String typed, Collection<String> names) {
    return all(typed, names).stream().findFirst();
  }

  /** Those of the names that are close enough, the closest first. */
  public static List<String> all(String typed, Collection<String> names) {
    return names.stream().filter(name -> distance(typed, name) <= MAX_DISTANCE || isBeginning(typed, name)
        || isBeginning(name, typed))
        .sorted(Comparator.comparingInt(name -> distance(typed, name))).limit(MOST).toList();
  }

  private static boolean isBeginning(String beginning, String word) {
    return beginning.length() >= SHORTEST_BEGINNING && word.startsWith(beginning);
  }

  /** How many letters must be changed, added, dropped or swapped with their neighbour. */
  private static int distance(String one, String other) {
    int[][] d = new int[one.length() + 1][other.length() + 1];
    for (int i = 0; i <= one.length(); i++) {
      for (int j = 0; j <= other.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int change = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
        d[i][j] = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + change);
        if (i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[one.length()][other.length()];
  }
}
