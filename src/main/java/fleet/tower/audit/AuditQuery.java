package fleet.tower.audit;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** Which events are wanted, from {@code since} to {@code until}, both among them; a null asks for all. */
public record AuditQuery(@Nullable Instant since, @Nullable String lockName, @Nullable String requestId,
    @Nullable String event, @Nullable Instant until) {

  /** Without an end. */
  public AuditQuery(@Nullable Instant since, @Nullable String lockName, @Nullable String requestId,
      @Nullable String event) {
    this(since, lockName, requestId, event, null);
  }

  /** Whether an entry is among them. */
  public boolean matches(AuditEntry entry) {
    return (since == null || !entry.timestamp().isBefore(since))
        && (until == null || !entry.timestamp().isAfter(until)) && matches(lockName, entry.lockName())
        && matches(requestId, entry.requestId()) && matches(event, entry.event());
  }

  private static boolean matches(@Nullable String wanted, @Nullable String found) {
    return wanted == null || wanted.equals(found);
  }
}
