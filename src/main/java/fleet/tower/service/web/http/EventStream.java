package fleet.tower.service.web.http;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;

import fleet.tower.access.Caller;
import fleet.tower.platform.time.TimeSource;
import jakarta.servlet.http.HttpServletResponse;

/**
 * A stream of server-sent events to one client. A disconnected client is noticed only by writing; so a comment is sent
 * from time to time while there are no events. The stream also ends, with a comment, when the client's token is revoked
 * or expires.
 */
public final class EventStream {
  /** The interval of signs of life without events. */
  public static final Duration BETWEEN_SIGNS = Duration.ofSeconds(10);

  private final OutputStream out;
  private final Caller caller;
  private final TimeSource time;
  private long lastSignNanos;
  private boolean gone;

  /** Starts the answer. */
  public EventStream(HttpServletResponse response, Caller caller, TimeSource time) throws IOException {
    response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
    response.setHeader("Cache-Control", "no-store");
    this.out = response.getOutputStream();
    this.caller = caller;
    this.time = time;
    send(": connected\n\n");
  }

  /** Sends an event with JSON data and an id to resume from. */
  public void event(String id, String json) {
    send("id: " + id + "\ndata: " + oneLine(json) + "\n\n");
  }

  /** Sends the starting position; to a client it is like the id of an event it has seen. */
  public void begin(String id) {
    send("id: " + id + "\n\n");
  }

  /** Sends a named event, with an id if the stream can resume after it. */
  public void event(@Nullable String id, String name, String json) {
    send((id == null ? "" : "id: " + id + "\n") + "event: " + name + "\ndata: " + oneLine(json) + "\n\n");
  }

  /** Line breaks in JSON occur only between values. */
  private static String oneLine(String json) {
    return json.replace('\r', ' ').replace('\n', ' ');
  }

  /** Whether the client is connected and still authorized; called often, and sends signs of life. */
  public boolean isHeard() {
    if (isOpen() && time.nanos() - lastSignNanos >= BETWEEN_SIGNS.toNanos()) {
      send(": nothing new\n\n");
    }
    return !gone;
  }

  private boolean isOpen() {
    if (!gone && !caller.credential().isValid()) {
      write(": the token was revoked or has expired\n\n");
      gone = true;
    }
    return !gone;
  }

  private void send(String text) {
    if (isOpen()) {
      write(text);
    }
  }

  private void write(String text) {
    lastSignNanos = time.nanos();
    try {
      out.write(Json.bytes(text));
      out.flush();
    } catch (IOException e) {
      gone = true;
    }
  }
}
