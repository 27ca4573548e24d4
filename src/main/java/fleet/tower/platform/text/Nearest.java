package fleet.tower.platform.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds the names that a misspelled name most likely means. */
public final class Nearest {
  private static final int MAX_DISTANCE = 2;
  private static final int MIN_PREFIX = 3;
  /** The maximum number of suggestions. */
  private static final int MAX_NAMES = 3;
  /** The length of what is compared of a typed text. */
  private static final int MAX_TYPED = 200;

  private Nearest() {}

  /** The closest name, if one is close enough. */
  public static Optional<String> of(String typed, Collection<String> names) {
    return all(typed, names).stream().findFirst();
  }

  /** The names that are close enough, the closest first. */
  public static List<String> all(String text, Collection<String> names) {
    String typed = text.substring(0, Math.min(text.length(), MAX_TYPED));
    return names.stream().filter(name -> distance(typed, name) <= MAX_DISTANCE || isPrefix(typed, name)
        || isPrefix(name, typed))
        .sorted(Comparator.comparingInt(name -> distance(typed, name))).limit(MAX_NAMES).toList();
  }

  private static boolean isPrefix(String prefix, String word) {
    return prefix.length() >= MIN_PREFIX && word.startsWith(prefix);
  }

  /** The number of letters to change, insert, delete or swap with their neighbour. */
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
