package fleet.tower.run.submit;

import fleet.tower.platform.InvalidValue;

/**
 * The hash of a plan as a caller names it.
 *
 * @param digits all of its hexadecimal digits, or the first ones
 */
public record PlanHash(String digits) {
  /** What a complete hash begins with; a caller may omit it. */
  static final String PREFIX = "sha256:";

  private static final int FEWEST_DIGITS = 12;
  private static final int DIGITS = 64;
  /** The regular expression of its text. */
  public static final String PATTERN = "^(" + PREFIX + ")?[0-9a-f]{" + FEWEST_DIGITS + "," + DIGITS + "}$";

  /**
   * Reads the hash that a caller gives.
   *
   * @throws InvalidValue if the text is not the hash of a plan or the beginning of one
   */
  public static PlanHash parse(String text) {
    if (!text.matches(PATTERN)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "the hash of a plan is " + PREFIX + " and " + DIGITS
          + " hexadecimal digits, of which the first " + FEWEST_DIGITS + " suffice, not " + InvalidValue.shown(text)
          + "; copy plan_hash from the plan");
    }
    return new PlanHash(text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text);
  }

  /** The complete hash of a document. */
  static PlanHash of(PlanDocument document) {
    return parse(document.hash());
  }

  /** Whether it is the hash of a document. */
  boolean isOf(PlanDocument document) {
    return begins(document.hash());
  }

  /** Whether a complete hash begins with it. */
  boolean begins(String hash) {
    return hash.startsWith(PREFIX + digits);
  }
}
