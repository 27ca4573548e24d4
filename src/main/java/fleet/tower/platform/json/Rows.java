package fleet.tower.platform.json;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A list as it is answered.
 *
 * @param isTruncated whether there are more, which would make the list too large
 */
public record Rows<T>(List<T> rows, boolean isTruncated) {
  /** The member of an answer that says that a list is not complete; it is left out where it is. */
  public static final String TRUNCATED = "truncated";

  public Rows {
    rows = List.copyOf(rows);
  }

  /**
   * Collects what a list may hold.
   *
   * @param source hands over rows until it is answered false
   */
  public static <T> Rows<T> collect(Function<T, JsonWriter> json, Consumer<Predicate<T>> source) {
    List<T> rows = new ArrayList<>();
    RowBudget budget = new RowBudget();
    source.accept(row -> budget.take(json.apply(row).end()) && rows.add(row));
    return new Rows<>(rows, budget.isExceeded());
  }

  /** Rows that a service has answered. */
  public static <T> Rows<T> read(JsonObject answer, String member, Function<JsonObject, T> row) {
    return new Rows<>(answer.objects(member).stream().map(row).toList(),
        answer.get(TRUNCATED) instanceof JsonValue.Bool bool && bool.value());
  }

  /** The list as a member of an object. */
  public JsonWriter json(String member, Function<T, JsonWriter> row) {
    JsonWriter json = JsonWriter.line().list(member, rows.stream().map(it -> row.apply(it).end()).toList());
    return isTruncated ? json.put(TRUNCATED, true) : json;
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }
}
