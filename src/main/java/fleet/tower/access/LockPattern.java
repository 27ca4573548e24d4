package fleet.tower.access;

import fleet.tower.platform.InvalidValue;

/** A pattern of lock names, with {@code *} for any characters: {@code ci-*}. */
public record LockPattern(String text) {
  private static final int MAX_LENGTH = 128;

  public LockPattern {
    if (!text.matches("[a-z0-9_*-]{1," + MAX_LENGTH + "}") || text.contains("**")) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "lock pattern " + InvalidValue.shown(text)
          + " must have 1 to " + MAX_LENGTH + " characters of a-z, 0-9, -, _ and single *; for example ci-*");
    }
  }

  /** Whether a lock's name matches. */
  public boolean matches(String lock) {
    return Wildcards.matches(text, lock);
  }

  @Override
  public String toString() {
    return text;
  }
}
