package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A query whose rows may not fit into memory. It first reads the sequence numbers of all rows, which fixes the rows
 * and their order, and then the rows in pages. No connection is held between pages, so a slow reader blocks no other
 * process. Rows that no longer match the conditions are skipped.
 *
 * @param select the SELECT clause without conditions
 * @param table a table with a {@code sequence} column
 * @param conditions joined by AND; those with a parameter whose value is null do not apply
 * @param values the values of {@code select} and of the conditions
 * @param order the ORDER BY expressions
 */
public record PagedQuery(String select, String table, List<String> conditions, NamedValues values,
    String order) {

  /**
   * Passes rows to the reader until none are left or it returns false.
   *
   * @param limit the maximum number of rows
   * @param pageSize the maximum number of rows in memory
   */
  public <T> void read(Database database, int limit, int pageSize, Session.RowReader<T> row, Predicate<T> reader) {
    List<Long> numbers = database.read(session -> numbers(session, Math.max(0, limit))).orElse(List.of());
    String sql = select + " WHERE sequence IN (" + IntStream.range(0, pageSize).mapToObj(i -> ":row" + i)
        .collect(Collectors.joining(", ")) + ")"
        + where(" AND ") + " ORDER BY " + order;
    for (int from = 0; from < numbers.size(); from += pageSize) {
      for (int i = 0; i < pageSize; i++) {
        values.put("row" + i, numbers.get(Math.min(from + i, numbers.size() - 1)));
      }
      for (T found : database.read(session -> session.query(sql, row, values)).orElse(List.of())) {
        if (!reader.test(found)) {
          return;
        }
      }
    }
  }

  private List<Long> numbers(Session session, int limit) throws SQLException {
    return session.query("SELECT sequence FROM " + table + where(" WHERE ") + " ORDER BY " + order + " LIMIT :rows",
        row -> row.getLong(1), values.put("rows", limit));
  }

  private String where(String before) {
    List<String> given = conditions.stream().filter(values::areGiven).toList();
    return given.isEmpty() ? "" : before + String.join(" AND ", given);
  }
}
