package fleet.tower.lock;

import java.time.Instant;

/** The answer to an operator who removes a lock, whoever holds it and whether or not it can be read. */
public sealed interface ForceReleaseOutcome {

  /** It is free. */
  record Removed(PreviousLock previous, Instant at) implements ForceReleaseOutcome {}

  /** There was nothing to remove. */
  record Absent() implements ForceReleaseOutcome {}

  /** It could not be removed. */
  record Failed(Instant at, String error) implements ForceReleaseOutcome {}
}
