package fleet.tower.remote;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.util.Optional;

import fleet.tower.answer.RefusedCommand;

/**
 * A POST whose answer is read as it arrives. It is sent at most once: the client never repeats it on its own. Closing
 * it, at any moment and by any thread, closes its connection, which ends the service's wait.
 */
public final class StreamedCall implements AutoCloseable {
  private final Server server;
  private final HttpURLConnection connection;

  StreamedCall(Server server, HttpURLConnection connection) {
    this.server = server;
    this.connection = connection;
  }

  /**
   * Sends the body and waits for the first part of the answer.
   *
   * @throws RefusedCommand if the service cannot be reached, so that nothing was sent, or refuses the token
   * @throws IOException if the connection is lost, so that the service may have got the body
   */
  public void send(byte[] body) throws IOException {
    // The client repeats a POST on a lost connection unless it streams the body.
    connection.setFixedLengthStreamingMode(body.length);
    connection.setDoOutput(true);
    try {
      server.open(connection);
    } catch (IOException e) {
      throw server.unreachable(e);
    }
    try (OutputStream out = connection.getOutputStream()) {
      out.write(body);
    }
    status();
  }

  /** The status of the answer. */
  public int status() throws IOException {
    try {
      int status = connection.getResponseCode();
      if (status == HttpURLConnection.HTTP_UNAUTHORIZED) {
        throw server.rejected();
      }
      return status;
    } catch (HttpRetryException unauthorized) {
      throw server.rejected();
    }
  }

  /** Whether the answer is a stream of events. */
  public boolean isEvents() {
    return Optional.ofNullable(connection.getContentType()).filter(type -> type.startsWith("text/event-stream"))
        .isPresent();
  }

  /** The body of the answer, of any status. */
  public InputStream body() throws IOException {
    InputStream body = status() < HttpURLConnection.HTTP_BAD_REQUEST
        ? connection.getInputStream()
        : connection.getErrorStream();
    return body == null ? InputStream.nullInputStream() : body;
  }

  /** The refusal in a body that is not an answer of the protocol. */
  public RefusedCommand refusal(byte[] body) throws IOException {
    return server.refused(status(), body);
  }

  @Override
  public void close() {
    connection.disconnect();
  }
}
