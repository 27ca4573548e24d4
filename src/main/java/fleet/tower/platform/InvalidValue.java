package fleet.tower.platform;

/**
 * Thrown for a value that a caller gave and that is not accepted. The message states the problem, the value and the
 * remedy.
 */
public final class InvalidValue extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  /** The kind of the rejected value; each interface maps it to an error code. */
  public enum Kind {
    LOCK_NAME, REQUEST,
    /** A request id that is already used for another request. */
    REQUEST_ID_IN_USE
  }

  private final Kind kind;
  private final String problem;

  public InvalidValue(Kind kind, String message) {
    super(message);
    this.problem = message;
    this.kind = kind;
  }

  /** The message; never null, unlike {@link #getMessage}. */
  public String problem() {
    return problem;
  }

  public Kind kind() {
    return kind;
  }

  /** The value in quotes, on one line, cut to 40 characters. */
  public static String shown(String value) {
    StringBuilder shown = new StringBuilder("'");
    value.codePoints().limit(40).forEach(c -> {
      if (Character.isISOControl(c) || c == 0x2028 || c == 0x2029) {
        shown.append(String.format("\\u%04x", c));
      } else {
        shown.appendCodePoint(c);
      }
    });
    return shown.append(value.codePointCount(0, value.length()) > 40 ? "…'" : "'").toString();
  }
}
