package fleet.tower.audit.sql;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditTrail;

/** The WHERE condition of a query and its values. It contains only the given criteria, so that an index applies. */
record Conditions(String text, List<Object> values) {
  private static final Duration RESOLUTION = Duration.ofMillis(1);

  Conditions {
    values = List.copyOf(values);
  }

  static Conditions of(AuditTrail.Query query) {
    Instant since = query.since();
    Instant until = query.until();
    return new Conditions("", List.of()).and("at >= ?", since == null ? null : firstFrom(since))
        .and("at <= ?", until == null ? null : until.toEpochMilli()).and("lock_name = ?", query.lockName())
        .and("request_id = ?", query.requestId()).and("event = ?", query.event());
  }

  /** The first millisecond that is not before a moment. */
  private static long firstFrom(Instant moment) {
    return moment.plus(RESOLUTION).minusNanos(1).toEpochMilli();
  }

  private Conditions and(String condition, @Nullable Object value) {
    return value == null ? this : and(condition, new Object[]{value});
  }

  Conditions and(String condition, Object... more) {
    List<Object> all = new ArrayList<>(values);
    all.addAll(List.of(more));
    return new Conditions(text.isEmpty() ? condition : text + " AND " + condition, all);
  }
}
