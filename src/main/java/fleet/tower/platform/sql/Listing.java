package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * A list of rows that may be too large for the memory. The numbers of all its rows are read at once, which says which rows these
 * are and in which order; then some rows at a time. Between them nobody holds a connection, so that a slow reader holds up no one.
 * Rows that have changed since, so that they are none of the list any more, are left out.
 *
 * @param select what is read of a row, without its conditions
 * @param selected the values of {@code select}
 * @param table whose rows have a {@code sequence}
 * @param conditions joined by AND; empty for none
 * @param values of the conditions
 * @param order what the list is ordered by
 */
public record Listing(String select, List<@Nullable Object> selected, String table, List<String> conditions,
    List<@Nullable Object> values, String order) {

  /**
   * Hands over rows until there are no more or it is answered false.
   *
   * @param limit the most that are handed over
   * @param together so many are in memory
   */
  public <T> void read(Database database, int limit, int together, Session.RowReader<T> row, Predicate<T> reader) {
    List<Long> numbers = database.read(session -> numbers(session, Math.max(0, limit))).orElse(List.of());
    String page = select + " WHERE sequence IN (" + String.join(", ", Collections.nCopies(together, "?")) + ")"
        + where(" AND ") + " ORDER BY " + order;
    for (int from = 0; from < numbers.size(); from += together) {
      List<Long> some = numbers.subList(from, Math.min(numbers.size(), from + together));
      List<@Nullable Object> all = new ArrayList<>(selected);
      all.addAll(some);
      all.addAll(Collections.nCopies(together - some.size(), some.getLast()));
      all.addAll(values);
      for (T found : database.read(session -> session.query(page, row, all.toArray())).orElse(List.of())) {
        if (!reader.test(found)) {
          return;
        }
      }
    }
  }

  private List<Long> numbers(Session session, int limit) throws SQLException {
    List<@Nullable Object> all = new ArrayList<>(values);
    all.add(limit);
    return session.query("SELECT sequence FROM " + table + where(" WHERE ") + " ORDER BY " + order + " LIMIT ?",
        row -> row.getLong(1), all.toArray());
  }

  private String where(String before) {
    return conditions.isEmpty() ? "" : before + String.join(" AND ", conditions);
  }
}
