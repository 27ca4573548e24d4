package fleet.tower.fleet;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import fleet.tower.harness.HttpHead;
import fleet.tower.harness.LoopbackPort;

/**
 * A load balancer on the loopback device that picks a host at random for every request, also for those of one
 * connection. It passes every byte of an answer at once, and closes one side when the other one closes.
 *
 * <p>A host that accepts no connection is left out, like one whose health check fails. A request that a host has
 * received is not repeated: if the host dies, the client's connection is closed.
 */
public final class RandomProxy implements AutoCloseable {
  private static final byte[] NO_HOST = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      .getBytes(StandardCharsets.ISO_8859_1);

  private final LoopbackPort port;
  private final List<Supplier<String>> hosts;
  private final Random random;
  private final AtomicIntegerArray requests;

  /**
   * Starts it.
   *
   * @param port zero for any
   * @param hosts the present URL of each host
   */
  public RandomProxy(int port, long seed, List<Supplier<String>> hosts) {
    this.hosts = List.copyOf(hosts);
    this.random = new Random(seed);
    this.requests = new AtomicIntegerArray(hosts.size());
    this.port = new LoopbackPort(port, this::pass);
  }

  public String url() {
    return "http://" + port.address();
  }

  /** The number of requests that each host has received. */
  public List<Integer> requests() {
    return IntStream.range(0, requests.length()).mapToObj(requests::get).toList();
  }

  private void pass(Socket client) throws IOException {
    client.setTcpNoDelay(true);
    Inlet in = new Inlet(client.getInputStream());
    while (exchange(client, in)) {
      // The next request of the same connection.
    }
  }

  /** Passes one request and its answer; returns whether the connection can have another one. */
  private boolean exchange(Socket client, Inlet in) throws IOException {
    HttpHead request = HttpHead.read(in);
    if (request == null) {
      return false;
    }
    Socket host = connect(client.getInetAddress());
    if (host == null) {
      // A connection that is closed with unread bytes is reset, and the client may not see the answer.
      copyBody(request, in, OutputStream.nullOutputStream(), false);
      client.getOutputStream().write(NO_HOST);
      return false;
    }
    try (host) {
      host.setTcpNoDelay(true);
      CompletableFuture<Boolean> sent = new CompletableFuture<>();
      Thread.ofVirtual().start(() -> sent.complete(send(request, in, client, host)));
      boolean isKept = answer(request, new BufferedInputStream(host.getInputStream()), client.getOutputStream());
      if (!isKept) {
        client.shutdownOutput();
      }
      return isKept && sent.join();
    }
  }

  /** Sends a request, and waits for the first byte of the next one; returns whether there is one. */
  private static boolean send(HttpHead request, Inlet in, Socket client, Socket host) {
    try {
      OutputStream out = new PatientOutput(host.getOutputStream());
      out.write(request.withConnection("close").bytes());
      copyBody(request, in, out, false);
      if (in.hasMore()) {
        return true;
      }
    } catch (IOException gone) {
      // The client is gone, as if it had closed its connection.
    }
    try (client; host) {
      return false;
    } catch (IOException closed) {
      return false;
    }
  }

  private static boolean answer(HttpHead request, InputStream in, OutputStream out) throws IOException {
    HttpHead answer = HttpHead.read(in);
    while (answer != null && isInterim(answer)) {
      out.write(answer.bytes());
      answer = HttpHead.read(in);
    }
    if (answer == null) {
      throw new EOFException("no answer");
    }
    boolean isKept = !isLast(request) && (isFramed(answer) || isEmpty(answer, request));
    out.write(answer.withConnection(isKept ? "keep-alive" : "close").bytes());
    if (!isEmpty(answer, request)) {
      copyBody(answer, in, out, !isFramed(answer));
    }
    return isKept;
  }

  /** A connection to a host from the client's own address; null if no host accepts one. */
  private @Nullable Socket connect(InetAddress client) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, hosts.size()).boxed().toList());
    synchronized (random) {
      Collections.shuffle(order, random);
    }
    for (int picked : order) {
      URI url = URI.create(hosts.get(picked).get());
      try {
        Socket host = new Socket(url.getHost(), url.getPort(), client, 0);
        if (!host.getLocalSocketAddress().equals(host.getRemoteSocketAddress())) {
          requests.incrementAndGet(picked);
          return host;
        }
        // Without a listener, TCP may connect a port to itself.
        host.close();
      } catch (IOException down) {
        // The next one.
      }
    }
    return null;
  }

  private static int status(HttpHead answer) {
    return Integer.parseInt(answer.first().split(" ", 3)[1]);
  }

  private static boolean isInterim(HttpHead answer) {
    return status(answer) < 200;
  }

  private static boolean isLast(HttpHead request) {
    return request.header("Connection").toLowerCase(Locale.ROOT).contains("close")
        || request.first().endsWith("HTTP/1.0");
  }

  private static boolean isFramed(HttpHead head) {
    return isChunked(head) || !head.header("Content-Length").isEmpty();
  }

  private static boolean isChunked(HttpHead head) {
    return head.header("Transfer-Encoding").toLowerCase(Locale.ROOT).contains("chunked");
  }

  /** Whether an answer has no body. */
  private static boolean isEmpty(HttpHead answer, HttpHead request) {
    return request.first().startsWith("HEAD ") || status(answer) == 204 || status(answer) == 304;
  }

  /** Copies the body after a head, each part at once; to the end of the connection if nothing else ends it. */
  private static void copyBody(HttpHead head, InputStream in, OutputStream out, boolean isUntilEnd)
      throws IOException {
    if (isChunked(head)) {
      copyChunks(in, out);
    } else if (isFramed(head)) {
      copy(in, out, Long.parseLong(head.header("Content-Length")));
    } else if (isUntilEnd) {
      copy(in, out, Long.MAX_VALUE);
    }
  }

  private static void copyChunks(InputStream in, OutputStream out) throws IOException {
    while (true) {
      String size = HttpHead.line(in);
      if (size == null) {
        throw new EOFException("a chunk is missing");
      }
      long length = Long.parseLong(size.split(";", 2)[0].strip(), 16);
      ByteArrayOutputStream chunk = new ByteArrayOutputStream();
      chunk.write((size + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      if (length > 0) {
        copy(in, chunk, length);
      }
      for (String line = HttpHead.line(in); line != null; line = HttpHead.line(in)) {
        chunk.write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        if (length > 0 || line.isEmpty()) {
          break;
        }
      }
      out.write(chunk.toByteArray());
      if (length == 0) {
        return;
      }
    }
  }

  private static void copy(InputStream in, OutputStream out, long length) throws IOException {
    byte[] buffer = new byte[16_384];
    long left = length;
    while (left > 0) {
      int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (read < 0) {
        if (length == Long.MAX_VALUE) {
          return;
        }
        throw new EOFException("the body is cut");
      }
      out.write(buffer, 0, read);
      left -= read;
    }
  }

  @Override
  public void close() {
    port.close();
  }

  /** What a client sends. Its first byte can be awaited without taking it. */
  private static final class Inlet extends BufferedInputStream {
    Inlet(InputStream in) {
      super(in);
    }

    /** Waits for another byte; false at the end. */
    boolean hasMore() throws IOException {
      mark(1);
      int next = read();
      reset();
      return next >= 0;
    }
  }

  /** What a host receives: nothing more after an error, as a host may answer before it has read the whole request. */
  private static final class PatientOutput extends FilterOutputStream {
    private boolean isBroken;

    PatientOutput(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int start, int length) {
      try {
        if (!isBroken) {
          out.write(bytes, start, length);
        }
      } catch (IOException refused) {
        isBroken = true;
      }
    }
  }
}
