package fleet.tower.access;

import fleet.tower.platform.InvalidValue;

/** A pattern of intent names, with {@code *} for any characters: {@code deploy-*}. */
public record IntentPattern(String text) {
  private static final int MAX_LENGTH = 64;

  public IntentPattern {
    if (!text.matches("[a-z0-9*-]{1," + MAX_LENGTH + "}") || text.contains("**")) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "intent pattern " + InvalidValue.shown(text)
          + " must have 1 to " + MAX_LENGTH + " characters of a-z, 0-9, - and single *; for example deploy-*");
    }
  }

  /** Whether an intent's name matches. Backtracking to the last star suffices, so no pattern takes long. */
  public boolean matches(String intent) {
    int pattern = 0;
    int at = 0;
    int star = -1;
    int retry = 0;
    while (at < intent.length()) {
      if (pattern < text.length() && text.charAt(pattern) == '*') {
        star = pattern++;
        retry = at;
      } else if (pattern < text.length() && text.charAt(pattern) == intent.charAt(at)) {
        pattern++;
        at++;
      } else if (star >= 0) {
        pattern = star + 1;
        at = ++retry;
      } else {
        return false;
      }
    }
    return pattern == text.length() || (pattern == text.length() - 1 && text.charAt(pattern) == '*');
  }

  @Override
  public String toString() {
    return text;
  }
}
