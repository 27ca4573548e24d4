package fleet.tower.lock;

import fleet.tower.lease.Decision;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.platform.StorageException;

/** The answer to a heartbeat. A disk that fails is none of these: it is a {@link StorageException}, and no loss. */
public sealed interface RenewOutcome {

  /** Alive for another ttl; {@code lateBySeconds} is how long it had been stale already, 0 when it had not. */
  record Renewed(HeldLease lease, long lateBySeconds) implements RenewOutcome {}

  /** There is no such lock any more. It was not made again. */
  record Gone() implements RenewOutcome {}

  /** Somebody else holds it, or the same request in a later tenure. */
  record Taken(Lease by) implements RenewOutcome {}

  /** What stands there cannot be read, so it was left alone. */
  record Unreadable(Decision.Refusal refusal) implements RenewOutcome {}
}
