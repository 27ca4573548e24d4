package fleet.tower.service.mcp.stdio;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

import org.jspecify.annotations.Nullable;

import fleet.tower.harness.HttpHead;
import fleet.tower.harness.LoopbackPort;

/** An HTTP server whose test writes every byte of each response, or cuts the connection. */
final class FakeService implements AutoCloseable {
  private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
  private final LoopbackPort port = new LoopbackPort(this::serve);

  private void serve(Socket connection) throws IOException {
    InputStream in = new BufferedInputStream(connection.getInputStream());
    HttpHead head = HttpHead.read(in);
    if (head != null) {
      String body = new String(in.readNBytes(head.contentLength()), StandardCharsets.UTF_8);
      Call call = new Call(head, body, connection, in, new CompletableFuture<>());
      calls.add(call);
      call.end().join();
    }
  }

  URI url() {
    return URI.create("http://" + port.address());
  }

  /** The next call; waits for it. */
  Call next() throws InterruptedException {
    return calls.take();
  }

  boolean hasNoCall() {
    return calls.isEmpty();
  }

  /** A call, and the connection on which its response goes, until its end. */
  record Call(HttpHead head, String body, Socket connection, InputStream in, CompletableFuture<@Nullable Void> end)
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
      end.complete(null);
    }
  }

  @Override
  public void close() {
    port.close();
  }
}
