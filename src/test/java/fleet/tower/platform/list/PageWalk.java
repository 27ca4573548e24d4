package fleet.tower.platform.list;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;

import fleet.tower.platform.list.Page.Placed;

/** All pages of a list, read one after the other while the list changes. */
public final class PageWalk {
  private PageWalk() {}

  /**
   * Reads all rows.
   *
   * @param source passes the rows of a page to the predicate until it returns false
   * @param change changes the list after each page; receives the number of pages read
   */
  public static <T> List<T> rows(Page first, BiConsumer<Page, Predicate<Placed<T>>> source, IntConsumer change) {
    List<T> all = new ArrayList<>();
    Page page = first;
    for (int count = 1;; count++) {
      Page current = page;
      Rows<T> rows = Rows.collect(page, RowBudget.MAX_SIZE, Object::toString, reader -> source.accept(current, reader));
      all.addAll(rows.rows());
      change.accept(count);
      if (rows.next() == null) {
        return all;
      }
      page = Page.of(first.list(), first.limit(), rows.next());
    }
  }
}
