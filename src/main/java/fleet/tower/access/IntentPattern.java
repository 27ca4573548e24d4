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

  /** Whether an intent's name matches. */
  public boolean matches(String intent) {
    return Wildcards.matches(text, intent);
  }

  @Override
  public String toString() {
    return text;
  }
}
