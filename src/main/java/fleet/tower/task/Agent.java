package fleet.tower.task;

import java.util.Locale;

import fleet.tower.platform.InvalidValue;

/**
 * The name of an agent, which works on tasks; in lower case. Several processes may use one name; the attempt
 * distinguishes their claims.
 */
public record Agent(String name) {
  private static final int MAX_LENGTH = 128;

  public Agent {
    InvalidValue.requirePlain("agent", name);
    name = name.strip().toLowerCase(Locale.ROOT);
    if (name.isEmpty() || name.length() > MAX_LENGTH || !name.codePoints().allMatch(Agent::isAllowed)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "agent " + InvalidValue.shown(name) + " is not 1 to "
          + MAX_LENGTH + " characters without spaces; give a name such as builder-1");
    }
  }

  private static boolean isAllowed(int c) {
    return !Character.isISOControl(c) && !Character.isWhitespace(c) && !Character.isSpaceChar(c)
        && Character.getType(c) != Character.SURROGATE && Character.isDefined(c);
  }

  @Override
  public String toString() {
    return name;
  }
}
