package fleet.tower.audit;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.list.Page;

/** A query for events from {@code since} to {@code until}, both inclusive; null matches all. */
public record AuditQuery(@Nullable Instant since, @Nullable String lockName, @Nullable String requestId,
    @Nullable String event, @Nullable Instant until) {

  /** Whether an entry matches. */
  public boolean matches(AuditEntry entry) {
    return (since == null || !entry.timestamp().isBefore(since))
        && (until == null || !entry.timestamp().isAfter(until)) && matches(lockName, entry.lockName())
        && matches(requestId, entry.requestId()) && matches(event, entry.event());
  }

  /**
   * A page of the events that match.
   *
   * @param ofOneHost whether it is in the log of one host
   */
  public Page page(boolean ofOneHost, int limit, @Nullable String cursor) {
    return Page.of(Page.list("audit", since, lockName, requestId, event, until, ofOneHost), limit, cursor);
  }

  private static boolean matches(@Nullable String wanted, @Nullable String found) {
    return wanted == null || wanted.equals(found);
  }
}
