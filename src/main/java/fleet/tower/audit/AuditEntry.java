package fleet.tower.audit;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** An event as it stands in the log: its line, and the members that one can ask by. */
public record AuditEntry(String line, Instant timestamp, String event, @Nullable String lockName,
    @Nullable String requestId) {}
