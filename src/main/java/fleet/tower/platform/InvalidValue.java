package fleet.tower.platform;

import fleet.tower.platform.text.VisibleText;

/**
 * Thrown for a value that a caller gave and that is not accepted. The message states the problem, the value and the
 * remedy.
 */
public final class InvalidValue extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  /** The kind of the rejected value; each interface maps it to an error code. */
  public enum Kind {
    LOCK_NAME, REQUEST
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

  /** Rejects a text with hidden characters, which could show a person something else than a model. */
  public static void requirePlain(String what, String value) {
    if (!VisibleText.isPlain(value)) {
      throw hidden(what, value);
    }
  }

  /** The same for a text that may have several lines. */
  public static void requirePlainLines(String what, String value) {
    if (!VisibleText.isPlainLines(value)) {
      throw hidden(what, value);
    }
  }

  private static InvalidValue hidden(String what, String value) {
    return new InvalidValue(Kind.REQUEST,
        what + " " + shown(value) + " has control or invisible characters; leave them out");
  }

  /** The value in quotes, on one line, cut to 40 characters. */
  public static String shown(String value) {
    StringBuilder shown = new StringBuilder("'");
    value.codePoints().limit(40).forEach(c -> {
      if (VisibleText.isHidden(c)) {
        shown.append(String.format(c > 0xffff ? "\\u{%x}" : "\\u%04x", c));
      } else {
        shown.appendCodePoint(c);
      }
    });
    return shown.append(value.codePointCount(0, value.length()) > 40 ? "…'" : "'").toString();
  }
}
