package fleet.tower.platform.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import fleet.tower.harness.LoopbackPort;

/**
 * A proxy between a host and its database that can stall: connections stay open and nothing arrives, as with a
 * firewall that drops packets. Data sent meanwhile arrives after the stall. It can also drop a reply.
 */
public final class StallingProxy implements AutoCloseable {
  private final String url;
  private final URI server;
  private final LoopbackPort port;
  private final AtomicInteger lost = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition goesOn = lock.newCondition();
  private boolean isStalled;
  private volatile String loseAnswerTo = "";

  /** @param url the URL of the database */
  public StallingProxy(String url) {
    this.server = URI.create(url.substring("jdbc:".length()));
    this.port = new LoopbackPort(this::serve);
    this.url = url.replace(server.getHost() + ":" + server.getPort(), port.address());
  }

  /** The URL of the database through this proxy. */
  public String url() {
    return url;
  }

  /** Stalls both directions without closing connections. */
  public void stall() {
    set(true);
  }

  /** Ends the stall. */
  public void goOn() {
    set(false);
  }

  /**
   * Drops the reply to the next statement that contains a text: the connection is closed when the server has replied.
   */
  public void loseAnswerTo(String text) {
    loseAnswerTo = text;
  }

  /** The number of dropped replies. */
  public int lost() {
    return lost.get();
  }

  private void set(boolean stalled) {
    lock.lock();
    try {
      isStalled = stalled;
      goesOn.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void awaitFlow() {
    lock.lock();
    try {
      while (isStalled) {
        goesOn.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private void serve(Socket client) throws IOException {
    Connection connection = new Connection(client, new Socket(server.getHost(), server.getPort()));
    Thread.ofVirtual().start(connection::answer);
    connection.ask();
  }

  /** One connection through the proxy. */
  private final class Connection {
    private final Socket client;
    private final Socket upstream;
    private volatile boolean isToBeLost;

    Connection(Socket client, Socket upstream) {
      this.client = client;
      this.upstream = upstream;
    }

    void ask() {
      pump(client, upstream, true);
    }

    void answer() {
      pump(upstream, client, false);
    }

    private void pump(Socket from, Socket to, boolean isAsking) {
      byte[] buffer = new byte[65536];
      try (from; to) {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          awaitFlow();
          String text = loseAnswerTo;
          if (isAsking && !text.isEmpty()
              && new String(buffer, 0, read, StandardCharsets.ISO_8859_1).contains(text)) {
            loseAnswerTo = "";
            isToBeLost = true;
          } else if (!isAsking && isToBeLost) {
            lost.incrementAndGet();
            return;
          }
          out.write(buffer, 0, read);
        }
      } catch (IOException cut) {
        // The other direction has ended, so this one ends too.
      }
    }
  }

  @Override
  public void close() {
    goOn();
    port.close();
  }
}
