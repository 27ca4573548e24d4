package fleet.tower.access;

import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.text.VisibleText;

/** A pattern of parameter values, with {@code *} for any characters: {@code staging} or {@code team-a-*}. */
public record ValuePattern(String text) {
  private static final int MAX_LENGTH = 256;

  public ValuePattern {
    if (text.length() > MAX_LENGTH || !VisibleText.isPlain(text)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "value pattern " + InvalidValue.shown(text)
          + " must have at most " + MAX_LENGTH + " printable characters; for example staging or team-a-*");
    }
  }

  /** Whether a value, as written, matches. */
  public boolean matches(String value) {
    return Wildcards.matches(text, value);
  }

  @Override
  public String toString() {
    return text;
  }
}
