package fleet.tower.remote;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.Reply;
import fleet.tower.operation.Ask;
import fleet.tower.operation.Operation;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.VisibleText;

/**
 * A connection to a service on behalf of an actor.
 *
 * @param actor the actor on whose behalf the token's owner acts
 */
public record Server(URI url, Token token, String actor) {
  /** The paths that need no token. */
  private static final String OPEN = "/actuator/health";
  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  /** An idle stream sends a sign of life every ten seconds. */
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(35);

  /** Whether a host name is a loopback address. */
  public static boolean isThisHost(URI url) {
    return LOOPBACK.contains(String.valueOf(url.getHost()));
  }

  /** Whether the token would travel unencrypted over a network. */
  public boolean isOverheard() {
    return !token.isNone() && "http".equals(url.getScheme()) && !isThisHost(url);
  }

  /** The warning about it. */
  public String overheard() {
    return "the token goes to " + url + " over plain HTTP, where others can read it";
  }

  /** A successful answer. */
  public record Answer(int status, JsonObject json, Map<String, String> headers) {}

  /** The data of the answer to an operation, which the service may delay for this long. */
  public JsonObject send(Ask ask, Duration patience) {
    JsonObject json = call(ask, patience).json();
    return ask.operation().isEnveloped() ? json.object("data").orElse(json) : json;
  }

  /** The answer to an operation, which the service may delay for this long. */
  public Answer call(Ask ask, Duration patience) {
    Operation.Method method = ask.operation().method();
    return call(method.name(), ask.href(), method.hasBody() ? ask.body().end() : null, ask.headers(),
        PATIENCE.plus(patience));
  }

  public Answer get(String path) {
    return call("GET", path, null, Map.of(), PATIENCE);
  }

  public Answer delete(String path, Duration patience) {
    return call("DELETE", path, null, Map.of(), patience);
  }

  /** The lines of a stream of events; the caller closes it. */
  public InputStream stream(String path, @Nullable String lastEventId) {
    try {
      HttpURLConnection connection = connect("GET", path, LONGEST_SILENCE);
      connection.setRequestProperty("Accept", "text/event-stream");
      if (lastEventId != null) {
        connection.setRequestProperty("Last-Event-ID", lastEventId);
      }
      open(connection);
      if (connection.getResponseCode() >= HttpURLConnection.HTTP_BAD_REQUEST) {
        throw refused(connection);
      }
      return connection.getInputStream();
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  /** A call whose answer is read as it arrives; nothing is sent yet. */
  public StreamedCall streamed(String path, Map<String, String> headers) {
    try {
      HttpURLConnection connection = connect("POST", path, PATIENCE);
      headers.forEach(connection::setRequestProperty);
      connection.setRequestProperty("Content-Type", "application/json");
      // An idle connection that the service has just closed would look like a lost answer.
      connection.setRequestProperty("Connection", "close");
      return new StreamedCall(this, connection);
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  private Answer call(String method, String path, @Nullable String body, Map<String, String> headers,
      Duration patience) {
    try {
      HttpURLConnection connection = connect(method, path, patience);
      headers.forEach(connection::setRequestProperty);
      if (body != null) {
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", "application/json");
      }
      if (!path.equals(OPEN)) {
        open(connection);
      }
      if (body != null) {
        connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
      }
      int status = connection.getResponseCode();
      if (status >= HttpURLConnection.HTTP_MULT_CHOICE) {
        throw refused(connection);
      }
      try (InputStream in = connection.getInputStream()) {
        byte[] bytes = in.readAllBytes();
        String replayed = connection.getHeaderField("Idempotency-Replayed");
        return new Answer(status, JsonReader.readObject(bytes.length == 0 ? new byte[]{'{', '}'} : bytes),
            replayed == null ? Map.of() : Map.of("Idempotency-Replayed", replayed));
      }
    } catch (JsonException e) {
      throw unavailable("the server at " + url + " is not a Tower service: " + e.getMessage(),
          "check --server or TOWER_URL");
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  private HttpURLConnection connect(String method, String path, Duration patience) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) URI.create(url + path).toURL().openConnection();
    connection.setRequestMethod(method);
    connection.setConnectTimeout((int) CONNECT.toMillis());
    connection.setReadTimeout((int) patience.toMillis());
    // A service never redirects; another server must not get the token.
    connection.setInstanceFollowRedirects(false);
    if (VisibleText.isPlain(actor)) {
      // Sent as UTF-8, the default charset of Java.
      connection.setRequestProperty("X-Actor", actor);
    }
    if (!path.equals(OPEN)) {
      if (token.isNone()) {
        throw unauthorized("the service at " + url + " requires a token");
      }
      token.require(url, false);
      connection.setRequestProperty("Authorization", "Bearer " + token.text());
    }
    return connection;
  }

  /**
   * Connects, and sends nothing yet. The listener is checked before and after, so that no other process can take the
   * service's place in between.
   */
  void open(HttpURLConnection connection) throws IOException {
    connection.connect();
    token.require(url, true);
  }

  private static RefusedCommand unauthorized(String message) {
    return new RefusedCommand(ErrorCode.UNAUTHORIZED, Reply.failure(ErrorCode.UNAUTHORIZED, message,
        "set TOWER_TOKEN to a token of that service, or TOWER_TOKEN_FILE to a file that holds one"));
  }

  /** The refusal of a token that the service does not accept. */
  RefusedCommand rejected() {
    return unauthorized("the service at " + url + " does not accept the token");
  }

  private RefusedCommand refused(HttpURLConnection connection) throws IOException {
    int status = connection.getResponseCode();
    if (status == HttpURLConnection.HTTP_UNAUTHORIZED) {
      return rejected();
    }
    try (InputStream in = connection.getErrorStream()) {
      return refused(status, in == null ? new byte[0] : in.readAllBytes());
    }
  }

  /** The refusal in the body of an answer. */
  RefusedCommand refused(int status, byte[] body) {
    try {
      JsonObject problem = JsonReader.readObject(body);
      return new RefusedCommand(problem.text("error").orElse("problem"), ProblemReplies.reply(problem));
    } catch (JsonException e) {
      return unavailable(url + " answered " + status + ", but not as a Tower service does",
          "check --server or TOWER_URL");
    }
  }

  RefusedCommand unreachable(IOException e) {
    return unavailable("the service at " + url + " cannot be reached: "
        + (e.getMessage() == null ? e.toString() : e.getMessage()),
        "start it with `tower serve`, or unset TOWER_URL to work on the files of a home");
  }

  private RefusedCommand unavailable(String message, String suggestion) {
    return new RefusedCommand(ErrorCode.SERVER_UNAVAILABLE,
        Reply.failure(ErrorCode.SERVER_UNAVAILABLE, message, suggestion,
            JsonWriter.line().put("url", url.toString())));
  }
}
