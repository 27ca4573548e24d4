package fleet.tower.run.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.Halt;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.Session;
import fleet.tower.policy.Quota;
import fleet.tower.run.Run;
import fleet.tower.run.RunStore;

/** Counts the runs of quotas from their rows. */
record RunQuotas(Database database) {
  /** One transaction of a fleet at a time counts for a quota and adds to it; a database of one host has one writer. */
  private static final String ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))";
  private static final String COUNTED = """
      SELECT actor, intent, lock_name, created_at FROM runs WHERE request_id <> :id AND refused = 0 \
      AND actor = COALESCE(:actor, actor) AND\s""";
  private static final String RECENT = COUNTED + "created_at > :since ORDER BY created_at DESC";
  private static final String UNFINISHED = COUNTED + "finished_at IS NULL AND status <> 'awaiting_approval'";
  /** Without those that were approved and wait for an executor. */
  private static final String TAKEN = UNFINISHED + " AND (approval IS NULL OR executor <> '" + RunStore.QUEUE + "')";

  private record Row(Halt.Subject subject, long createdAt) {}

  /** Waits for the other transactions that count for these quotas. */
  void enter(Session session, List<Quota> quotas) throws SQLException {
    if (!database.isOfOneHost()) {
      for (Quota quota : quotas.stream().sorted(Comparator.comparing(Quota::name)).toList()) {
        session.query(ALONE, row -> true, "quota " + quota.name());
      }
    }
  }

  /** The first quota that a run exceeds, if it is counted beside the others. */
  Optional<Quota.Exceeded> exceeded(Session session, Run run, List<Quota> quotas) throws SQLException {
    for (Quota quota : quotas) {
      Quota.Rate rate = quota.runs();
      if (rate != null) {
        List<Row> recent = counted(session, RECENT, quota, run,
            run.header().createdAt().minus(rate.within()).toEpochMilli());
        if (recent.size() >= rate.most()) {
          return Optional.of(new Quota.Exceeded(quota.name(), rate.most(), rate.within(),
              rate.most() == 0 ? null : room(recent.get(rate.most() - 1), rate.within())));
        }
      }
      Integer concurrent = quota.concurrent();
      if (concurrent != null && counted(session, UNFINISHED, quota, run, 0).size() >= concurrent) {
        return Optional.of(new Quota.Exceeded(quota.name(), concurrent, null, null));
      }
    }
    return Optional.empty();
  }

  /** Whether a quota has as many other runs at the same time as it allows, so that a run must not begin yet. */
  boolean isFull(Session session, Run run, List<Quota> quotas) throws SQLException {
    for (Quota quota : quotas) {
      Integer concurrent = quota.concurrent();
      if (concurrent != null && counted(session, TAKEN, quota, run, 0).size() >= concurrent) {
        return true;
      }
    }
    return false;
  }

  private static Instant room(Row last, Duration within) {
    return Instant.ofEpochMilli(last.createdAt()).plus(within);
  }

  private static List<Row> counted(Session session, String sql, Quota quota, Run run, long since)
      throws SQLException {
    NamedValues values = new NamedValues().put("id", run.requestId().value())
        .put("actor", quota.isTogether() ? null : SqlRunStore.escaped(run.actor().name())).put("since", since);
    return session.query(sql, row -> new Row(subject(SqlRunStore.given(row.getString(1)),
        SqlRunStore.given(row.getString(2)), row.getString(3)), row.getLong(4)), values).stream()
        .filter(row -> quota.isTogether()
            ? quota.scope().covers(row.subject())
            : quota.scope().ofAnyActor().covers(row.subject()))
        .toList();
  }

  private static Halt.Subject subject(String actor, String intent, @Nullable String lock) {
    return new Halt.Subject(Set.of(actor), intent, lock == null ? null : new LeaseName(lock).value());
  }
}
