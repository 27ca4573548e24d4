package fleet.tower.platform.json;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The rows of an answer.
 *
 * @param isTruncated whether further rows were omitted because the list would be too large
 */
public record Rows<T>(List<T> rows, boolean isTruncated) {
  /** The member that marks an incomplete list; it is absent if the list is complete. */
  public static final String TRUNCATED = "truncated";

  public Rows {
    rows = List.copyOf(rows);
  }

  /**
   * Collects rows up to the maximum size of a list.
   *
   * @param source passes rows to the predicate until it returns false
   */
  public static <T> Rows<T> collect(Function<T, JsonWriter> json, Consumer<Predicate<T>> source) {
    List<T> rows = new ArrayList<>();
    RowBudget budget = new RowBudget();
    source.accept(row -> budget.add(json.apply(row).end()) && rows.add(row));
    return new Rows<>(rows, budget.isExceeded());
  }

  /** Reads the rows of a service's answer. */
  public static <T> Rows<T> read(JsonObject answer, String member, Function<JsonObject, T> row) {
    return new Rows<>(answer.objects(member).stream().map(row).toList(),
        answer.get(TRUNCATED) instanceof JsonValue.Bool bool && bool.value());
  }

  /** The rows as a member of an object. */
  public JsonWriter json(String member, Function<T, JsonWriter> row) {
    JsonWriter json = JsonWriter.line().list(member, rows.stream().map(it -> row.apply(it).end()).toList());
    return isTruncated ? json.put(TRUNCATED, true) : json;
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }
}
