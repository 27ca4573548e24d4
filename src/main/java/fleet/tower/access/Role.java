package fleet.tower.access;

import java.util.Locale;

/** The role of a caller; each role includes the rights of those before it. */
public enum Role {
  /** May read everything, and change nothing. */
  VIEWER,
  /** May also run intents, hold locks, work on tasks, use mailboxes, and end what it owns. */
  AGENT,
  /** May do everything, including forcing, freezing, and ending what others own. */
  OPERATOR;

  /** Whether this role suffices where another is required. */
  public boolean covers(Role needed) {
    return compareTo(needed) >= 0;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
