package fleet.tower.audit.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditTrail;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Session;
import fleet.tower.platform.time.Scheduler;

/**
 * The events of all hosts, ordered by their clocks; a follower receives them in the order of their arrival. Each line
 * ends with the id of its host. A query first copies the events of its own host, so it sees at least those.
 */
final class SqlAuditTrail implements AuditTrail {
  private static final int PAGE_SIZE = 1000;
  private static final Duration POLL_INTERVAL = Duration.ofMillis(250);
  private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);
  private static final Pattern PLACE = Pattern.compile("table:\\d{1,18}");

  private final Database database;
  private final AuditCopier copier;
  private final AuditTrail own;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;

  SqlAuditTrail(Database database, AuditCopier copier, AuditTrail own, Scheduler scheduler,
      Consumer<String> warnings) {
    this.database = database;
    this.copier = copier;
    this.own = own;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  /** A row of the table. */
  private record Row(long sequence, AuditTrail.Entry entry) {
    static Row of(ResultSet row) throws SQLException {
      return new Row(row.getLong(1),
          new AuditTrail.Entry(withHost(row.getString(7).strip(), row.getString(2)),
              Instant.ofEpochMilli(row.getLong(3)),
              row.getString(4),
              row.getString(5), row.getString(6)));
    }

    /** Adds the host id, unless the line already contains that of its holder. */
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
  public void read(AuditTrail.Query query, Consumer<AuditTrail.Entry> reader) {
    copier.copy();
    Conditions conditions = Conditions.of(query);
    List<Row> rows = rows(conditions, "at, sequence", PAGE_SIZE);
    while (!rows.isEmpty()) {
      rows.forEach(row -> reader.accept(row.entry()));
      Row last = rows.getLast();
      rows = rows.size() < PAGE_SIZE
          ? List.of()
          : rows(conditions.and("(at, sequence) > (?, ?)", last.at(), last.sequence()), "at, sequence", PAGE_SIZE);
    }
  }

  @Override
  public void readBack(AuditTrail.Query query, Page page, Predicate<Placed<AuditTrail.Entry>> reader) {
    Cursor after = page.after();
    Conditions conditions = Conditions.of(query);
    Conditions rest = after == null ? conditions : older(conditions, after);
    copier.copy();
    int left = page.toRead();
    while (left > 0) {
      int most = Math.min(left, PAGE_SIZE);
      List<Row> rows = rows(rest, "at DESC, sequence DESC", most);
      for (Row row : rows) {
        Cursor place = Cursor.of(row.at(), row.sequence());
        if (!reader.test(new Placed<>(row.entry(), place))) {
          return;
        }
        rest = older(conditions, place);
      }
      left = rows.size() < most ? 0 : left - most;
    }
  }

  private static Conditions older(Conditions conditions, Cursor place) {
    return conditions.and("(at, sequence) < (?, ?)", place.number(0), place.number(1));
  }

  @Override
  public void follow(AuditTrail.Query query, @Nullable String place, Reader reader) {
    copier.copy();
    Conditions conditions = Conditions.of(query);
    long seen = beginning(query, place);
    reader.begin(text(seen));
    boolean isReported = false;
    while (reader.wantsMore()) {
      try {
        List<Row> rows = rows(conditions.and("sequence > ?", seen), "sequence", PAGE_SIZE);
        isReported = false;
        for (Row row : rows) {
          seen = row.sequence();
          if (!reader.take(row.entry(), text(seen))) {
            return;
          }
        }
        if (rows.isEmpty()) {
          scheduler.pause(POLL_INTERVAL);
        }
      } catch (StorageException unavailable) {
        if (!isReported && !unavailable.isReported()) {
          warnings
              .accept("following the audit log resumes when the database is available: " + unavailable.getMessage());
        }
        isReported = true;
        scheduler.pause(RETRY_INTERVAL);
      }
    }
  }

  private long beginning(AuditTrail.Query query, @Nullable String place) {
    if (place != null && PLACE.matcher(place).matches()) {
      return Long.parseLong(place.substring(place.indexOf(':') + 1));
    }
    return query.since() != null
        ? 0
        : read(session -> session.query(AuditStatements.NEWEST_SEQUENCE, row -> row.getLong(1))).getFirst();
  }

  private static String text(long sequence) {
    return "table:" + sequence;
  }

  private List<Row> rows(Conditions conditions, String order, int limit) {
    List<@Nullable Object> values = new ArrayList<>(conditions.values());
    values.add(limit);
    return read(session -> rows(session, AuditStatements.events(conditions.text(), order), values));
  }

  private static List<Row> rows(Session session, String sql, List<@Nullable Object> values) throws SQLException {
    return session.query(sql, Row::of, values.toArray());
  }

  private <T> T read(Database.Work<T> work) {
    return database.read(work).orElseThrow(() -> new IllegalStateException("a PostgreSQL database always exists"));
  }
}
