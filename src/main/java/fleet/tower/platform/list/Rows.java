package fleet.tower.platform.list;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Page.Placed;

/**
 * The rows of an answer.
 *
 * @param isTruncated whether further rows were omitted because the list would be too large
 * @param next the cursor of the next page; null if there is none, or the list has no pages
 */
public record Rows<T>(List<T> rows, boolean isTruncated, @Nullable String next) {
  /** The member that marks a list as too large; it is absent if the list is complete. */
  public static final String TRUNCATED = "truncated";
  /** The member with the cursor of the next page; it is absent on the last page. */
  public static final String NEXT = "next";

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
    return new Rows<>(rows, budget.isExceeded(), null);
  }

  /**
   * Collects the rows of a page.
   *
   * @param maxSize the maximum total size of the rows
   * @param source passes rows to the predicate until it returns false
   */
  public static <T> Rows<T> collect(Page page, long maxSize, Function<T, String> json,
      Consumer<Predicate<Placed<T>>> source) {
    List<Placed<T>> rows = new ArrayList<>();
    RowBudget budget = new RowBudget(page.limit(), maxSize);
    source.accept(row -> budget.add(json.apply(row.row())) && rows.add(row));
    return new Rows<>(rows.stream().map(Placed::row).toList(), budget.isExceeded(),
        budget.hasMore() ? rows.getLast().place().text(page.list()) : null);
  }

  /** Reads the rows of a service's answer. */
  public static <T> Rows<T> read(JsonObject answer, String member, Function<JsonObject, T> row) {
    return new Rows<>(answer.objects(member).stream().map(row).toList(),
        answer.isTrue(TRUNCATED), answer.text(NEXT).orElse(null));
  }

  /** Another form of the rows. */
  public <R> Rows<R> as(Function<T, R> form) {
    return new Rows<>(rows.stream().map(form).toList(), isTruncated, next);
  }

  /** The same rows in the opposite order; the next page is the same. */
  public Rows<T> reversed() {
    return new Rows<>(rows.reversed(), isTruncated, next);
  }

  /** The rows as a member of an object. */
  public JsonWriter json(String member, Function<T, JsonWriter> row) {
    return jsonOf(member, it -> row.apply(it).end());
  }

  /** The same for rows that become JSON text. */
  public JsonWriter jsonOf(String member, Function<T, String> row) {
    return JsonWriter.line().list(member, rows.stream().map(row).toList()).members(end(isTruncated, next));
  }

  /** The members that follow an incomplete list. */
  public static JsonWriter end(boolean isTruncated, @Nullable String next) {
    JsonWriter json = JsonWriter.line();
    if (isTruncated) {
      json.put(TRUNCATED, true);
    }
    return next == null ? json : json.put(NEXT, next);
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }
}
