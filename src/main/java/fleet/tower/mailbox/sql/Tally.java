package fleet.tower.mailbox.sql;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.platform.sql.Session;

/** Counts of messages by mailbox and state, combined from several statements. */
final class Tally {
  private final Map<String, Map<String, Long>> counts = new TreeMap<>();

  /** Adds a statement's counts by mailbox. */
  void add(String state, Session session, String sql, @Nullable Object... values) throws SQLException {
    session.query(sql, row -> add(row.getString(1), state, row.getLong(2)), values);
  }

  /** Adds a statement's counts by mailbox and state. */
  void addByState(Session session, String sql, @Nullable Object... values) throws SQLException {
    session.query(sql, row -> add(row.getString(1), row.getString(2), row.getLong(3)), values);
  }

  private boolean add(String mailbox, String state, long count) {
    counts.computeIfAbsent(mailbox, _ -> new HashMap<>()).merge(state, count, Long::sum);
    return true;
  }

  MailboxStore.Count of(MailboxName mailbox) {
    Map<String, Long> count = counts.getOrDefault(mailbox.value(), Map.of());
    return new MailboxStore.Count(mailbox, count.getOrDefault("ready", 0L), count.getOrDefault("leased", 0L),
        count.getOrDefault("delayed", 0L), count.getOrDefault("dead", 0L));
  }

  /** By name; excludes rows of other programs with an invalid mailbox name. */
  List<MailboxStore.Count> all() {
    return counts.keySet().stream().filter(LeaseName::isValid).map(MailboxName::new).map(this::of).toList();
  }
}
