package fleet.tower.lock.queue;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;

/**
 * A request that waits in a queue. The actor and the intent are null if a program of an earlier version waits.
 *
 * @param since when it joined the queue; null if that was not recorded
 */
public record WaitingRequest(RequestId requestId, @Nullable String actor, @Nullable String intent,
    @Nullable Instant since) {}
