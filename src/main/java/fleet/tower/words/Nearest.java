package fleet.tower.words;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** The name that somebody who mistyped most likely meant. */
public final class Nearest {
  private static final int MAX_DISTANCE = 2;

  private Nearest() {}

  /** The closest of the names, if one is close enough. */
  public static Optional<String> of(String typed, Collection<String> names) {
    return names.stream().filter(name -> distance(typed, name) <= MAX_DISTANCE || isBeginning(typed, name))
        .min(Comparator.comparingInt(name -> distance(typed, name)));
  }

  private static boolean isBeginning(String typed, String name) {
    return typed.length() >= 3 && name.startsWith(typed);
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
