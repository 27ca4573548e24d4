package fleet.tower.remote;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/** A stream of server-sent events, one after another. */
public final class Events implements AutoCloseable {
  private final BufferedReader lines;
  private final InputStream in;
  private @Nullable String lastId;

  public Events(InputStream in) {
    this.in = in;
    lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
  }

  /** One event; its id is empty if the stream cannot resume after it. */
  public record Event(String id, String name, String data) {}

  /** The next event; null when the stream has ended for any reason. */
  public @Nullable Event next() {
    String id = "";
    String name = "";
    StringBuilder data = new StringBuilder();
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.isEmpty()) {
          lastId = id.isEmpty() ? lastId : id;
          if (!data.isEmpty()) {
            return new Event(id, name, data.toString());
          }
        }
        int colon = line.indexOf(':');
        String value = colon < 0 ? "" : line.substring(colon + 1).strip();
        switch (colon < 0 ? line : line.substring(0, colon)) {
          case "id" -> id = value;
          case "event" -> name = value;
          case "data" -> data.append(value);
          default -> {
            // A comment, which keeps the connection alive.
          }
        }
      }
      return null;
    } catch (IOException cutOff) {
      return null;
    }
  }

  /** The id to resume the stream from; null if the stream sent none. A stream also sends its starting position. */
  public @Nullable String lastId() {
    return lastId;
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      // The stream is not read again either way.
    }
  }
}
