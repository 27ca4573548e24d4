package fleet.tower.access;

import java.util.Locale;

/** What a caller may do; each role may do what those before it may. */
public enum Role {
  /** Look at everything, and change nothing. */
  VIEWER,
  /** Also run intents, hold locks, work on tasks, use mailboxes; and end what is the caller's own. */
  AGENT,
  /** Everything: also force, freezing, and ending what others hold. */
  OPERATOR;

  /** Whether this is enough where another is needed. */
  public boolean covers(Role needed) {
    return compareTo(needed) >= 0;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
