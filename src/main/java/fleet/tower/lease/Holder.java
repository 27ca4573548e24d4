package fleet.tower.lease;

import static java.util.Objects.requireNonNull;

import fleet.tower.platform.InvalidValue;

/**
 * Who holds a lease and for what, for people to read. Nothing here proves ownership, and the pid least of all: it is never
 * signalled or looked up. What others wrote may be empty or long; what we write is checked by {@link #requireOurs()}.
 */
public record Holder(String actor, String intent, String intentVersion, String hostId, long pid) {
  private static final int MAX_LENGTH = 512;

  public Holder {
    requireNonNull(actor);
    requireNonNull(intent);
    requireNonNull(intentVersion);
    requireNonNull(hostId);
  }

  /** Refuses what we do not write: a holder without an actor or a host, and long texts. */
  public void requireOurs() {
    requireLength("actor", actor, 1);
    requireLength("intent", intent, 0);
    requireLength("intent version", intentVersion, 0);
    requireLength("host id", hostId, 1);
  }

  private static void requireLength(String what, String value, int least) {
    if (value.length() < least || value.length() > MAX_LENGTH) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          what + " must have " + least + " to " + MAX_LENGTH + " characters, not " + value.length());
    }
  }
}
