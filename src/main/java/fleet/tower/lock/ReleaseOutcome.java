package fleet.tower.lock;

import java.time.Instant;

import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;

/** The answer to its owner giving a lock back. */
public sealed interface ReleaseOutcome {

  /** It is free. */
  record Released(Lease lease, Instant at) implements ReleaseOutcome {}

  /** There was nothing to give back. */
  record Absent() implements ReleaseOutcome {}

  /** Somebody else holds it; nothing was changed. */
  record NotOwner(Lease holder) implements ReleaseOutcome {}

  /** What stands there cannot be read, so it was left alone. */
  record Unreadable(Decision.Refusal refusal) implements ReleaseOutcome {}

  /** It is ours and could not be removed. */
  record Failed(Lease lease, Instant at, String error) implements ReleaseOutcome {}
}
