package fleet.tower.home.move;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Session;

/**
 * Copies the tables of a home to another database within one transaction of that database. The order of the rows is
 * kept; numbers that the database assigns are new. Every row is compared with what the database stored.
 */
final class TableCopy {
  private static final String PLACE = "place";
  private static final int PAGE = 200;
  private static final int MOST_CLASHES = 20;

  private final HomeDatabase source;
  private final Session target;
  private final Clocks clocks;
  /** The numbers of events in the target by those in the source, as far as requests refer to them. */
  private final Map<Long, Long> events = new HashMap<>();

  TableCopy(HomeDatabase source, Session target, Clocks clocks) {
    this.source = source;
    this.target = target;
    this.clocks = clocks;
  }

  /** The number of rows that were copied from a table, and their digest. */
  record Copied(long rows, String digest) {}

  /** A row by the names of its columns, and its place in the table. */
  private record Row(long place, Map<String, @Nullable Object> values) {}

  /** The keys of a table that both databases have, as people know them; only the first few. */
  static List<String> clashes(HomeDatabase source, MovingTable table, Session target) throws SQLException {
    List<String> clashes = new ArrayList<>();
    for (List<Row> page = page(source, table, 0); !page.isEmpty(); page = page(source, table, last(page))) {
      for (List<String> key : table.keys()) {
        List<Row> keyed = page.stream().filter(row -> key.stream().allMatch(it -> row.values().get(it) != null))
            .toList();
        if (!keyed.isEmpty()) {
          clashes.addAll(clashes(table, key, keyed, target));
        }
      }
      if (clashes.size() >= MOST_CLASHES) {
        return clashes.subList(0, MOST_CLASHES);
      }
    }
    return clashes;
  }

  private static List<String> clashes(MovingTable table, List<String> key, List<Row> rows, Session target)
      throws SQLException {
    String columns = String.join(", ", key);
    List<@Nullable Object> values = new ArrayList<>();
    rows.forEach(row -> key.forEach(column -> values.add(row.values().get(column))));
    return target.query("SELECT " + columns + " FROM " + table.table() + " WHERE (" + columns + ") IN ("
        + repeated("(" + repeated("?", key.size()) + ")", rows.size()) + ") ORDER BY " + columns, row -> {
          List<String> parts = new ArrayList<>();
          for (int i = 0; i < key.size(); i++) {
            parts.add(key.get(i) + " " + row.getString(i + 1));
          }
          return table.table() + ": " + String.join(", ", parts);
        }, values.toArray());
  }

  /** Copies a table; throws if the target stored anything else. */
  Copied copy(MovingTable table) throws SQLException {
    MessageDigest sent = sha256();
    MessageDigest stored = sha256();
    long rows = 0;
    for (List<Row> page = page(source, table, 0); !page.isEmpty(); page = page(source, table, last(page))) {
      for (Row row : page) {
        convert(table, row.values());
        digest(sent, row.values());
      }
      for (Map<String, @Nullable Object> row : insert(table, page)) {
        digest(stored, row);
      }
      rows += page.size();
    }
    String digest = HexFormat.of().formatHex(sent.digest());
    if (table != MovingTable.TASK_AGENTS && !digest.equals(HexFormat.of().formatHex(stored.digest()))) {
      throw new StorageException("the copy of " + table.table() + " differs from what was sent; nothing was moved");
    }
    return new Copied(rows, digest);
  }

  private void convert(MovingTable table, Map<String, @Nullable Object> row) {
    table.convert(row, clocks);
    if (table == MovingTable.TASK_REQUESTS) {
      convertEvent(row, "first_event");
      convertEvent(row, "last_event");
    }
  }

  private void convertEvent(Map<String, @Nullable Object> row, String column) {
    if (row.get(column) instanceof Number event) {
      row.put(column, events.get(event.longValue()));
    }
  }

  /** Inserts rows, and returns them as they were stored. */
  private List<Map<String, @Nullable Object>> insert(MovingTable table, List<Row> page) throws SQLException {
    List<String> columns = List.copyOf(page.getFirst().values().keySet());
    String names = String.join(", ", columns);
    List<@Nullable Object> values = new ArrayList<>();
    page.forEach(row -> values.addAll(row.values().values()));
    String sql = "INSERT INTO " + table.table() + " (" + names + ") VALUES "
        + repeated("(" + repeated("?", columns.size()) + ")", page.size())
        + (table == MovingTable.TASK_AGENTS ? " ON CONFLICT DO NOTHING" : "")
        + " RETURNING " + (table.counter().isEmpty() ? "0" : table.counter()) + " AS " + PLACE + ", " + names;
    List<Row> stored = target.query(sql, row -> read(row, ""), values.toArray());
    if (table == MovingTable.TASK_EVENTS) {
      for (int i = 0; i < stored.size(); i++) {
        events.put(page.get(i).place(), stored.get(i).place());
      }
    }
    return stored.stream().map(Row::values).toList();
  }

  private static List<Row> page(HomeDatabase source, MovingTable table, long after) {
    return source.read("SELECT rowid AS " + PLACE + ", t.* FROM {table} t WHERE rowid > ? ORDER BY rowid LIMIT " + PAGE,
        table.table(), row -> read(row, table.counter()), after);
  }

  private static Row read(ResultSet row, String counter) throws SQLException {
    ResultSetMetaData columns = row.getMetaData();
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      String name = columns.getColumnLabel(i);
      if (!name.equals(PLACE) && !name.equals(counter)) {
        values.put(name, row.getObject(i) instanceof Number number ? (Object) number.longValue() : row.getObject(i));
      }
    }
    return new Row(row.getLong(PLACE), values);
  }

  private static long last(List<Row> page) {
    return page.getLast().place();
  }

  private static String repeated(String part, int times) {
    return String.join(", ", Collections.nCopies(times, part));
  }

  private static void digest(MessageDigest digest, Map<String, @Nullable Object> row) {
    String text = row.entrySet().stream().map(it -> it.getKey() + "=" + it.getValue())
        .collect(Collectors.joining("\0", "", "\n"));
    digest.update(text.getBytes(StandardCharsets.UTF_8));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
