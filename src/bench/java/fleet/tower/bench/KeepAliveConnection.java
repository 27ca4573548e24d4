package fleet.tower.bench;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** A connection that is reused for call after call, with a minimal client. */
final class KeepAliveConnection implements Closeable {
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final String headers;

  KeepAliveConnection(int port, String token) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
    headers = "Host: localhost\r\nAuthorization: Bearer " + token + "\r\nContent-Type: application/json\r\n";
  }

  /** Makes a call, reads the whole answer, and returns its status. */
  int call(String method, String path, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    String head = method + " " + path + " HTTP/1.1\r\n" + headers + "Content-Length: " + bytes.length + "\r\n\r\n";
    out.write((head + body).getBytes(StandardCharsets.UTF_8));
    out.flush();
    int status = Integer.parseInt(line().split(" ", -1)[1]);
    int length = 0;
    boolean chunked = false;
    for (String header = line(); !header.isEmpty(); header = line()) {
      String lower = header.toLowerCase(Locale.ROOT);
      length = lower.startsWith("content-length:") ? Integer.parseInt(lower.substring(15).strip()) : length;
      chunked |= lower.equals("transfer-encoding: chunked");
    }
    if (chunked) {
      skipChunks();
    } else {
      in.skipNBytes(length);
    }
    return status;
  }

  /** Makes a call that must have this status, and returns it. */
  int expect(int status, String method, String path, String body) throws IOException {
    int got = call(method, path, body);
    if (got != status) {
      throw new IllegalStateException(method + " " + path + " answered " + got + ", not " + status);
    }
    return got;
  }

  /** One operation as calls on a connection. */
  interface Operation {
    void make(KeepAliveConnection connection, int client) throws IOException;
  }

  /** The operations per second of all clients together, each on its own connection. */
  static double rate(int port, String token, int clients, Duration period, Operation operation) throws Exception {
    LongAdder made = new LongAdder();
    long begun = System.nanoTime();
    Clients.each(clients, client -> {
      try (KeepAliveConnection connection = new KeepAliveConnection(port, token)) {
        while (System.nanoTime() - begun < period.toNanos()) {
          operation.make(connection, client);
          made.increment();
        }
      }
    }).run(1);
    return made.sum() / ((System.nanoTime() - begun) / 1e9);
  }

  private void skipChunks() throws IOException {
    for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
      in.skipNBytes(size + 2L);
    }
    line();
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the server closed the connection");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
