package fleet.tower.audit;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** An event as stored in the log: its line, and the members by which it can be queried. */
public record AuditEntry(String line, Instant timestamp, String event, @Nullable String lockName,
    @Nullable String requestId) {}
