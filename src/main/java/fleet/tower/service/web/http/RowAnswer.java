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

/** A list that is sent row by row and is never in memory as a whole. Rows end where the list would be too large; then it says so. */
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

  /** Hands over rows until it is told that no more are wanted. */
  public interface Source {
    void read(RowAnswer answer);
  }

  /**
   * Sends a list. Until the source has handed over its first row nothing is sent, so that it may fail with another answer.
   *
   * @param head what stands before the rows
   * @param tail members behind the list, or nothing, and what closes {@code head}
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

  /** Sends rows that are JSON already, as many as are wanted. */
  public void addAll(Stream<String> rows) {
    Iterator<String> all = rows.iterator();
    boolean isWanted = true;
    while (isWanted && all.hasNext()) {
      isWanted = add(all.next());
    }
  }

  /** Sends a row that is JSON already. False when no more are wanted: they would be too many, or nobody reads them any more. */
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
