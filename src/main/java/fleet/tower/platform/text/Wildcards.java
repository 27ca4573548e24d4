package fleet.tower.platform.text;

/** Matches texts against patterns, in which {@code *} stands for any characters, none included. */
public final class Wildcards {
  private Wildcards() {}

  /** Whether the complete text matches. Backtracking to the last star suffices, so no pattern takes long. */
  public static boolean matches(String pattern, String text) {
    int next = 0;
    int at = 0;
    int star = -1;
    int retry = 0;
    while (at < text.length()) {
      if (next < pattern.length() && pattern.charAt(next) == '*') {
        star = next++;
        retry = at;
      } else if (next < pattern.length() && pattern.charAt(next) == text.charAt(at)) {
        next++;
        at++;
      } else if (star >= 0) {
        next = star + 1;
        at = ++retry;
      } else {
        return false;
      }
    }
    while (next < pattern.length() && pattern.charAt(next) == '*') {
      next++;
    }
    return next == pattern.length();
  }
}
