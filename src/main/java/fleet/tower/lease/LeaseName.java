package fleet.tower.lease;

import java.util.Locale;

import fleet.tower.platform.InvalidValue;

/**
 * The name of a lease: 1 to 128 of {@code a-z 0-9 - _}, beginning and ending with a letter or digit, safe as a file
 * name.
 */
public record LeaseName(String value) implements Comparable<LeaseName> {
  private static final int MAX_LENGTH = 128;

  public LeaseName {
    if (!isValid(value)) {
      throw new InvalidValue(InvalidValue.Kind.LOCK_NAME, "lock name " + complaint(value));
    }
  }

  /** The problem with an invalid name, after the name in quotes; also for other names of this form. */
  public static String complaint(String value) {
    return InvalidValue.shown(value) + " " + problem(value) + suggestion(value);
  }

  /**
   * Whether a text is a valid name. Without a regular expression, because every path is checked, first thing in each
   * command.
   */
  public static boolean isValid(String value) {
    int length = value.length();
    return length >= 1 && length <= MAX_LENGTH && isAlphanumeric(value.charAt(0))
        && isAlphanumeric(value.charAt(length - 1)) && value.chars().allMatch(LeaseName::isAllowed);
  }

  @Override
  public int compareTo(LeaseName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }

  private static boolean isAlphanumeric(int c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }

  private static boolean isAllowed(int c) {
    return isAlphanumeric(c) || c == '-' || c == '_';
  }

  private static String problem(String value) {
    if (value.isEmpty()) {
      return "is empty; give 1 to 128 of a-z 0-9 - _";
    }
    if (value.length() > MAX_LENGTH) {
      return "is " + value.length() + " characters long; at most " + MAX_LENGTH + " are allowed";
    }
    if (value.chars().anyMatch(c -> c >= 'A' && c <= 'Z')) {
      return "has an upper-case letter";
    }
    if (!value.chars().allMatch(LeaseName::isAllowed)) {
      return "has a character outside a-z 0-9 - _";
    }
    return "must begin and end with a letter or digit";
  }

  private static String suggestion(String value) {
    String cut = value.length() > MAX_LENGTH ? value.substring(0, MAX_LENGTH) : value;
    String closest = cut.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_-]+", "-").replaceAll("^[-_]+|[-_]+$", "");
    boolean isClose = closest.length() * 2 >= cut.length();
    return isClose && isValid(closest) ? "; did you mean '" + closest + "'?" : "";
  }
}
