package fleet.tower.lease;

import fleet.tower.platform.InvalidValue;

/**
 * The holder of a lease and its purpose, for display. Nothing here proves ownership; the pid in particular is never
 * signalled. Values written by other programs may be empty or long; {@link #requireOurs()} checks ours.
 *
 * @param isGone whether its process is known to have ended, as a view shows it; no store keeps it
 */
public record Holder(String actor, String intent, String intentVersion, String hostId, long pid, boolean isGone) {
  private static final int MAX_LENGTH = 512;

  /** Rejects values that this program does not write: an empty actor or host id, long texts, and hidden characters. */
  public void requireOurs() {
    require("actor", actor, 1);
    require("intent", intent, 0);
    require("intent version", intentVersion, 0);
    require("host id", hostId, 1);
  }

  private static void require(String field, String value, int min) {
    if (value.length() < min || value.length() > MAX_LENGTH) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          field + " must have " + min + " to " + MAX_LENGTH + " characters, not " + value.length());
    }
    InvalidValue.requirePlainLines(field, value);
  }
}
