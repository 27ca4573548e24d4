package fleet.tower.service.web.http;

import java.io.IOException;
import java.io.OutputStream;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.platform.list.RowBudget;
import fleet.tower.platform.list.Rows;
import jakarta.servlet.http.HttpServletResponse;

/**
 * A list sent row by row, never completely held in memory. A list that would be too large ends early and is marked as
 * such; the end of a page says where the next one begins.
 */
public final class RowAnswer {
  private final HttpServletResponse response;
  private final String head;
  private final @Nullable Page page;
  private final RowBudget budget;
  private @Nullable Cursor last;
  private @Nullable OutputStream out;
  private @Nullable IOException failure;

  private RowAnswer(HttpServletResponse response, String head, @Nullable Page page) {
    this.response = response;
    this.head = head;
    this.page = page;
    budget = page == null ? new RowBudget() : new RowBudget(page.limit(), RowBudget.MAX_SIZE);
  }

  /** Supplies rows until no more are wanted. */
  public interface Source {
    void read(RowAnswer answer);
  }

  /**
   * Sends a list. Nothing is sent before the first row, so that the source may still fail with another answer.
   *
   * @param head the text before the rows
   * @param tail the members after the list, if any, and the end of {@code head}
   * @param page the page of the list; null for a list without pages
   */
  static void send(HttpServletResponse response, String head, String tail, @Nullable Page page, Source rows)
      throws IOException {
    RowAnswer answer = new RowAnswer(response, head, page);
    rows.read(answer);
    answer.end(tail);
  }

  /** Sends a row: see {@link #add(String)}. */
  public boolean add(JsonWriter row) {
    return add(row.end());
  }

  /** Sends a row of a page; false if the page is full, or the client is gone. */
  public boolean add(Placed<JsonWriter> row) {
    boolean isAdded = add(row.row());
    if (isAdded) {
      last = row.place();
    }
    return isAdded;
  }

  /** Sends a row that is already JSON. False if no more are wanted: too many, or the client is gone. */
  public boolean add(String json) {
    if (failure != null || !budget.add(json)) {
      return false;
    }
    try {
      boolean isFirst = out == null;
      OutputStream sink = begun();
      if (!isFirst) {
        sink.write(',');
      }
      sink.write(Json.bytes(json));
    } catch (IOException e) {
      failure = e;
    }
    return failure == null;
  }

  private OutputStream begun() throws IOException {
    OutputStream sink = out;
    if (sink == null) {
      response.setContentType(MediaType.APPLICATION_JSON_VALUE);
      sink = response.getOutputStream();
      out = sink;
      sink.write(Json.bytes(head));
    }
    return sink;
  }

  private void end(String tail) throws IOException {
    if (failure != null) {
      throw failure;
    }
    Cursor end = last;
    String next = page == null || end == null || !budget.hasMore() ? null : end.text(page.list());
    String more = Rows.end(budget.isExceeded(), next).end();
    begun().write(Json.bytes("]" + (more.length() > 2 ? "," + more.substring(1, more.length() - 1) : "") + tail));
  }
}
