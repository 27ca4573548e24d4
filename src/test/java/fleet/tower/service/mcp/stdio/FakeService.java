package fleet.tower.service.mcp.stdio;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** An HTTP server whose test writes every byte of each response, or cuts the connection. */
final class FakeService implements AutoCloseable {
  private final ServerSocket socket;
  private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();

  FakeService() throws IOException {
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket connection = socket.accept();
        Thread.ofVirtual().start(() -> read(connection));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void read(Socket connection) {
    try {
      InputStream in = new BufferedInputStream(connection.getInputStream());
      String request = line(in);
      Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      for (String header = line(in); !header.isEmpty(); header = line(in)) {
        int colon = header.indexOf(':');
        headers.put(header.substring(0, colon), header.substring(colon + 1).strip());
      }
      String body = new String(in.readNBytes(Integer.parseInt(headers.getOrDefault("Content-Length", "0"))),
          StandardCharsets.UTF_8);
      calls.add(new Call(request, headers, body, connection, in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      line.append(c == '\r' ? "" : String.valueOf((char) c));
    }
    return line.toString();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + socket.getLocalPort());
  }

  /** The next call; waits for it. */
  Call next() throws InterruptedException {
    return calls.take();
  }

  boolean hasNoCall() {
    return calls.isEmpty();
  }

  /** A call, and the connection on which its response goes. */
  record Call(String request, Map<String, String> headers, String body, Socket connection, InputStream in)
      implements
        AutoCloseable {

    void write(String text) throws IOException {
      OutputStream out = connection.getOutputStream();
      out.write(text.getBytes(StandardCharsets.UTF_8));
      out.flush();
    }

    /** Writes a whole response, and closes the connection. */
    void answer(int status, String type, String body) throws IOException {
      write("HTTP/1.1 " + status + " X\r\nContent-Type: " + type + "\r\nContent-Length: "
          + body.getBytes(StandardCharsets.UTF_8).length + "\r\nConnection: close\r\n\r\n" + body);
      close();
    }

    void beginEvents() throws IOException {
      write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n: alive\n\n");
    }

    /** Waits until the client has closed the connection. */
    void awaitClosed() throws IOException {
      try {
        if (in.read() >= 0) {
          throw new AssertionError("the client sent more than one request on a connection");
        }
      } catch (java.net.SocketException reset) {
        // Closed before everything was read.
      }
    }

    @Override
    public void close() throws IOException {
      connection.close();
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
