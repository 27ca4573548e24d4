package fleet.tower.platform.list;

import java.util.function.Function;

/** A row of a list with its place, after which a page can begin. */
public record Placed<T>(T row, Cursor place) {

  /** Another form of the row at the same place. */
  public <R> Placed<R> as(Function<T, R> form) {
    return new Placed<>(form.apply(row), place);
  }
}
