package fleet.tower.foreign;

import fleet.tower.foreign.ForeignLock.Refusal;
import fleet.tower.foreign.ForeignLockState.Occupant;

/** The log lines that the exclusive lock protocol's document prescribes. */
public final class ProtocolLines {
  private ProtocolLines() {}

  /** A run is skipped because of a foreign lock. */
  public static String skipping(Refusal refusal) {
    String subject = subject(refusal.name());
    return switch (refusal.why()) {
      case ForeignLockState.Held(Occupant occupant) -> "Skipping " + subject + " (locked by " + occupant.holder() + ")";
      case ForeignLockState.Doubtful(String problem, var _) ->
        "Skipping " + subject + " (lock check failed: " + problem + ")";
    };
  }

  /** A stale lock was removed. */
  static String removed(ForeignName name, Occupant occupant) {
    return "Removed stale lock (" + occupant.holder() + "), proceeding" + switch (name.kind()) {
      case BEADS -> " with sync";
      case FLOCK, TERRAFORM, PIDFILE -> " with " + name;
    };
  }

  private static String subject(ForeignName name) {
    return name.kind().subject().isEmpty() ? name.toString() : name.kind().subject();
  }
}
