package fleet.tower.platform.list;

import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonWriter;

/**
 * A page that a caller requests.
 *
 * @param list the name of the list with its filters
 * @param limit the maximum number of rows
 * @param after the place after which it begins; null for the first page
 */
public record Page(String list, int limit, @Nullable Cursor after) {

  /**
   * The page that a cursor begins.
   *
   * @param cursor the text of a cursor of this list; null for the first page
   */
  public static Page of(String list, int limit, @Nullable String cursor) {
    return new Page(list, limit, cursor == null ? null : Cursor.parse(cursor, list));
  }

  /** The name of a list with its filters, in a fixed order; null for a filter that is not used. */
  public static String list(String name, @Nullable Object... filters) {
    return Arrays.stream(filters).map(filter -> filter == null ? "null" : JsonWriter.quote(filter.toString()))
        .collect(Collectors.joining(",", name + "(", ")"));
  }

  /** The number of rows to read: one more than the page may have shows whether another page follows. */
  public int toRead() {
    return Math.addExact(limit, 1);
  }

  /** A row of a list with its place, after which a page can begin. */
  public record Placed<T>(T row, Cursor place) {

    /** Another form of the row at the same place. */
    public <R> Placed<R> as(Function<T, R> form) {
      return new Placed<>(form.apply(row), place);
    }
  }
}
