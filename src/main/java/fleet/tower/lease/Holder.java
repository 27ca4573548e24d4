package fleet.tower.lease;

import static java.util.Objects.requireNonNull;

/**
 * Who holds a lease and for what, for people to read. Nothing here proves ownership, and the pid least of all: it is never
 * signalled or looked up.
 */
public record Holder(String actor, String intent, String intentVersion, String hostId, long pid) {
  private static final int MAX_LENGTH = 512;

  public Holder {
    requireShort("actor", actor);
    requireShort("intent", intent);
    requireShort("intent version", intentVersion);
    requireShort("host id", hostId);
  }

  private static void requireShort(String what, String value) {
    requireNonNull(value);
    if (value.isEmpty() || value.length() > MAX_LENGTH) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          what + " must have 1 to " + MAX_LENGTH + " characters, not " + value.length());
    }
  }
}
