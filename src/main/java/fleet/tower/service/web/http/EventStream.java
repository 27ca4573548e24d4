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
 * Server-sent events to one client, for as long as it listens. A client that went away is noticed by writing to it; so a
 * comment is sent now and then when there is nothing to tell. It also ends when the client's token is revoked or expires; a
 * comment says so, and nothing more is told.
 */
public final class EventStream {
  /** Between two signs of life while there is nothing to tell. */
  public static final Duration BETWEEN_SIGNS = Duration.ofSeconds(10);

  private final OutputStream out;
  private final Caller caller;
  private final TimeSource time;
  private long lastSignNanos;
  private boolean gone;

  /** Begins the answer. */
  public EventStream(HttpServletResponse response, Caller caller, TimeSource time) throws IOException {
    response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
    response.setHeader("Cache-Control", "no-store");
    this.out = response.getOutputStream();
    this.caller = caller;
    this.time = time;
    send(": connected\n\n");
  }

  /** Sends an event whose data is JSON, and behind which it can be taken up again. */
  public void event(String id, String json) {
    send("id: " + id + "\ndata: " + oneLine(json) + "\n\n");
  }

  /** Tells the place where the stream begins; for a client it is the same as an event that it has seen. */
  public void begin(String id) {
    send("id: " + id + "\n\n");
  }

  /** Sends an event by its name; with an id where it can be taken up again behind it. */
  public void event(@Nullable String id, String name, String json) {
    send((id == null ? "" : "id: " + id + "\n") + "event: " + name + "\ndata: " + oneLine(json) + "\n\n");
  }

  /** JSON has no line end but between its values. */
  private static String oneLine(String json) {
    return json.replace('\r', ' ').replace('\n', ' ');
  }

  /** Whether somebody listens who may; asked often, and it keeps the connection from looking dead. */
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
