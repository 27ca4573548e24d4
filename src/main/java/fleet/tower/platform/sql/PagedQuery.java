package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * A query whose rows may not fit into memory. It first reads the sequence numbers of all rows, which fixes the rows
 * and their order, and then the rows in pages. No connection is held between pages, so a slow reader blocks no other
 * process. Rows that no longer match the conditions are skipped.
 *
 * @param select the SELECT clause without conditions
 * @param selected the values of {@code select}
 * @param table a table with a {@code sequence} column
 * @param conditions joined by AND; may be empty
 * @param values the values of the conditions
 * @param order the ORDER BY expressions
 */
public record PagedQuery(String select, List<@Nullable Object> selected, String table, List<String> conditions,
    List<@Nullable Object> values, String order) {

  /**
   * Passes rows to the reader until none are left or it returns false.
   *
   * @param limit the maximum number of rows
   * @param pageSize the maximum number of rows in memory
   */
  public <T> void read(Database database, int limit, int pageSize, Session.RowReader<T> row, Predicate<T> reader) {
    List<Long> numbers = database.read(session -> numbers(session, Math.max(0, limit))).orElse(List.of());
    String sql = select + " WHERE sequence IN (" + String.join(", ", Collections.nCopies(pageSize, "?")) + ")"
        + where(" AND ") + " ORDER BY " + order;
    for (int from = 0; from < numbers.size(); from += pageSize) {
      List<Long> pageNumbers = numbers.subList(from, Math.min(numbers.size(), from + pageSize));
      List<@Nullable Object> parameters = new ArrayList<>(selected);
      parameters.addAll(pageNumbers);
      parameters.addAll(Collections.nCopies(pageSize - pageNumbers.size(), pageNumbers.getLast()));
      parameters.addAll(values);
      for (T found : database.read(session -> session.query(sql, row, parameters.toArray())).orElse(List.of())) {
        if (!reader.test(found)) {
          return;
        }
      }
    }
  }

  private List<Long> numbers(Session session, int limit) throws SQLException {
    List<@Nullable Object> parameters = new ArrayList<>(values);
    parameters.add(limit);
    return session.query("SELECT sequence FROM " + table + where(" WHERE ") + " ORDER BY " + order + " LIMIT ?",
        row -> row.getLong(1), parameters.toArray());
  }

  private String where(String before) {
    return conditions.isEmpty() ? "" : before + String.join(" AND ", conditions);
  }
}
