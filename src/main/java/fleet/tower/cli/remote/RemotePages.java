package fleet.tower.cli.remote;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Rows;
import fleet.tower.remote.Server;

/** A list of a service, read page by page: a page may end early, because its rows are large. */
final class RemotePages {
  private RemotePages() {}

  /** The calls that read pages. */
  interface Source {
    /**
     * Requests a page of at most the number of rows that are still wanted.
     *
     * @param cursor the parameter that continues the list; empty for the first page
     */
    JsonObject page(int limit, String cursor);
  }

  /**
   * Reads rows until the list ends.
   *
   * @param limit the maximum number of rows
   * @param cursor where it begins; null for the start of the list
   */
  static Rows<JsonObject> read(String member, int limit, @Nullable String cursor, Source source) {
    List<JsonObject> rows = new ArrayList<>();
    Rows<JsonObject> page;
    String next = cursor;
    do {
      page = Rows.read(source.page(limit - rows.size(), parameter(next)), member, row -> row);
      rows.addAll(page.rows());
      next = page.next();
    } while (next != null && rows.size() < limit);
    return new Rows<>(rows, page.isTruncated(), next);
  }

  /** The parameter that continues a list; empty for the first page. */
  static String parameter(@Nullable String cursor) {
    return cursor == null ? "" : "&" + Cursor.PARAMETER + "=" + Server.part(cursor);
  }
}
