package fleet.tower.lock;

import fleet.tower.lease.RequestId;

/**
 * A request to remove a lock with any holder.
 *
 * @param reason why, for the audit log
 * @param abandons whether to take the lock even from a live run, which then stops without it
 */
public record ForcedRelease(RequestId requestId, String reason, boolean abandons) {}
