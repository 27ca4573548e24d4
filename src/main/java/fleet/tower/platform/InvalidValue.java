package fleet.tower.platform;

import static java.util.Objects.requireNonNull;

/** A value that somebody gave and that we do not take. The message says what, which value, and what to do. */
public final class InvalidValue extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  /** What kind of value was refused; the doors turn it into their error codes. */
  public enum Kind {
    LOCK_NAME, REQUEST,
    /** A request id that stands for something else already. */
    REQUEST_ID_IN_USE
  }

  private final Kind kind;
  private final String problem;

  public InvalidValue(Kind kind, String message) {
    super(message);
    this.problem = message;
    this.kind = requireNonNull(kind);
  }

  /** The message, which is always there. */
  public String problem() {
    return problem;
  }

  public Kind kind() {
    return kind;
  }

  /** The value in quotes, short and on one line, whatever it holds. */
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
