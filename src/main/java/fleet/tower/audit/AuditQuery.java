package fleet.tower.audit;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** A query for events from {@code since} to {@code until}, both inclusive; null matches all. */
public record AuditQuery(@Nullable Instant since, @Nullable String lockName, @Nullable String requestId,
    @Nullable String event, @Nullable Instant until) {

  /** Whether an entry matches. */
  public boolean matches(AuditEntry entry) {
    return (since == null || !entry.timestamp().isBefore(since))
        && (until == null || !entry.timestamp().isAfter(until)) && matches(lockName, entry.lockName())
        && matches(requestId, entry.requestId()) && matches(event, entry.event());
  }

  private static boolean matches(@Nullable String wanted, @Nullable String found) {
    return wanted == null || wanted.equals(found);
  }
}
