package fleet.tower.audit.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEntry;
import fleet.tower.audit.AuditQuery;
import fleet.tower.audit.AuditTrail;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Session;
import fleet.tower.platform.time.Scheduler;

/**
 * What all hosts have written, by their clocks; a follower is told in the order in which it arrives. Each line says at its end
 * which host it is of. Whoever asks first brings what his own host has, and so sees at least that.
 */
final class SqlAuditTrail implements AuditTrail {
  private static final int AT_ONCE = 1000;
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(250);
  private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);
  private static final Pattern PLACE = Pattern.compile("table:\\d{1,18}");

  private final Database database;
  private final AuditBatch shipment;
  private final AuditTrail own;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;

  SqlAuditTrail(Database database, AuditBatch shipment, AuditTrail own, Scheduler scheduler,
      Consumer<String> warnings) {
    this.database = database;
    this.shipment = shipment;
    this.own = own;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  /** A row of the table. */
  private record Row(long sequence, AuditEntry entry) {
    static Row of(ResultSet row) throws SQLException {
      return new Row(row.getLong(1),
          new AuditEntry(withHost(row.getString(7).strip(), row.getString(2)), Instant.ofEpochMilli(row.getLong(3)),
              row.getString(4),
              row.getString(5), row.getString(6)));
    }

    /** A line that says on which host its holder works keeps that. */
    private static String withHost(String line, String hostId) {
      return hasHost(line)
          ? line
          : line.substring(0, line.length() - 1) + ",\"host_id\":" + JsonWriter.quote(hostId) + "}";
    }

    private static boolean hasHost(String line) {
      try {
        return line.contains("\"host_id\"") && JsonReader.readObject(line).text("host_id").isPresent();
      } catch (JsonException notOurs) {
        return false;
      }
    }

    long at() {
      return entry.timestamp().toEpochMilli();
    }
  }

  @Override
  public AuditTrail ofThisHost() {
    return own;
  }

  @Override
  public void read(AuditQuery query, Consumer<AuditEntry> reader) {
    shipment.ship();
    Conditions asked = Conditions.of(query);
    List<Row> rows = rows(asked, "at, sequence", AT_ONCE);
    while (!rows.isEmpty()) {
      rows.forEach(row -> reader.accept(row.entry()));
      Row last = rows.getLast();
      rows = rows.size() < AT_ONCE
          ? List.of()
          : rows(asked.and("(at, sequence) > (?, ?)", last.at(), last.sequence()), "at, sequence", AT_ONCE);
    }
  }

  @Override
  public Newest newest(AuditQuery query, int limit, long maxSize) {
    shipment.ship();
    Conditions asked = Conditions.of(query);
    Conditions behind = asked;
    List<AuditEntry> newest = new ArrayList<>();
    long size = 0;
    boolean isLast = false;
    while (!isLast && newest.size() < limit) {
      int most = Math.min(limit - newest.size(), AT_ONCE);
      List<Row> rows = rows(behind, "at DESC, sequence DESC", most);
      isLast = rows.size() < most;
      for (Row row : rows) {
        size += row.entry().line().length();
        if (size > maxSize) {
          return new Newest(newest.reversed(), true);
        }
        newest.add(row.entry());
        behind = asked.and("(at, sequence) < (?, ?)", row.at(), row.sequence());
      }
    }
    return new Newest(newest.reversed(), false);
  }

  @Override
  public void follow(AuditQuery query, @Nullable String place, Reader reader) {
    shipment.ship();
    Conditions asked = Conditions.of(query);
    long seen = beginning(query, place);
    reader.begin(text(seen));
    boolean isTold = false;
    while (reader.wantsMore()) {
      try {
        List<Row> rows = rows(asked.and("sequence > ?", seen), "sequence", AT_ONCE);
        isTold = false;
        for (Row row : rows) {
          seen = row.sequence();
          if (!reader.take(row.entry(), text(seen))) {
            return;
          }
        }
        if (rows.isEmpty()) {
          scheduler.pause(BETWEEN_LOOKS);
        }
      } catch (StorageException away) {
        if (!isTold) {
          warnings.accept("following the audit log goes on when the database is back: " + away.getMessage());
        }
        isTold = true;
        scheduler.pause(BETWEEN_TRIES);
      }
    }
  }

  private long beginning(AuditQuery query, @Nullable String place) {
    if (place != null && PLACE.matcher(place).matches()) {
      return Long.parseLong(place.substring(place.indexOf(':') + 1));
    }
    return query.since() != null
        ? 0
        : read(session -> session.query(Statements.NEWEST_SEQUENCE, row -> row.getLong(1))).getFirst();
  }

  private static String text(long sequence) {
    return "table:" + sequence;
  }

  private List<Row> rows(Conditions conditions, String order, int limit) {
    List<@Nullable Object> values = new ArrayList<>(conditions.values());
    values.add(limit);
    return read(session -> rows(session, Statements.events(conditions.text(), order), values));
  }

  private static List<Row> rows(Session session, String sql, List<@Nullable Object> values) throws SQLException {
    return session.query(sql, Row::of, values.toArray());
  }

  private <T> T read(Database.Work<T> work) {
    return database.read(work).orElseThrow(() -> new IllegalStateException("a server's database is always there"));
  }
}
