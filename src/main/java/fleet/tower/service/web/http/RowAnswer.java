package fleet.tower.service.web.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Iterator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.json.RowBudget;
import fleet.tower.platform.json.Rows;
import jakarta.servlet.http.HttpServletResponse;

/**
 * A list sent row by row, never completely held in memory. A list that would be too large is truncated and marked as
 * such.
 */
public final class RowAnswer {
  private final HttpServletResponse response;
  private final String head;
  private final RowBudget budget = new RowBudget();
  private @Nullable OutputStream out;
  private @Nullable IOException failure;

  private RowAnswer(HttpServletResponse response, String head) {
    this.response = response;
    this.head = head;
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
   */
  public static void send(HttpServletResponse response, String head, String tail, Source rows) throws IOException {
    RowAnswer answer = new RowAnswer(response, head);
    rows.read(answer);
    answer.end(tail);
  }

  /** Sends a row: see {@link #add(String)}. */
  public boolean add(JsonWriter row) {
    return add(row.end());
  }

  /** Sends rows that are already JSON, as many as are wanted. */
  public void addAll(Stream<String> rows) {
    Iterator<String> all = rows.iterator();
    boolean isWanted = true;
    while (isWanted && all.hasNext()) {
      isWanted = add(all.next());
    }
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
    begun().write(Json.bytes("]" + (budget.isExceeded() ? ",\"" + Rows.TRUNCATED + "\":true" : "") + tail));
  }
}
