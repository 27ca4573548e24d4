package fleet.tower.platform.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The network between a host and its database, which can stall: everything stays open and nothing arrives, as behind a firewall
 * that drops what it gets. What was sent meanwhile arrives when it goes on. It can also lose an answer.
 */
public final class Wire implements AutoCloseable {
  private final String url;
  private final URI server;
  private final ServerSocket door;
  private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
  private final AtomicInteger lost = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition goesOn = lock.newCondition();
  private boolean isStalled;
  private volatile String loseAnswerTo = "";

  /** @param url of the database at its other end */
  public Wire(String url) {
    try {
      this.server = URI.create(url.substring("jdbc:".length()));
      this.door = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.url = url.replace(server.getHost() + ":" + server.getPort(), "127.0.0.1:" + door.getLocalPort());
    Thread.ofVirtual().start(this::serve);
  }

  /** The URL of the database through this. */
  public String url() {
    return url;
  }

  /** From now on nothing arrives, in either direction, and nothing is closed. */
  public void stall() {
    set(true);
  }

  /** Everything arrives again. */
  public void goOn() {
    set(false);
  }

  /** The answer to the next statement that holds this text does not arrive: the connection is cut when the server has given it. */
  public void loseAnswerTo(String text) {
    loseAnswerTo = text;
  }

  /** How many answers were lost. */
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

  private void serve() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        Socket upstream = new Socket(server.getHost(), server.getPort());
        sockets.add(client);
        sockets.add(upstream);
        Connection connection = new Connection(client, upstream);
        Thread.ofVirtual().start(connection::ask);
        Thread.ofVirtual().start(connection::answer);
      } catch (IOException closed) {
        return;
      }
    }
  }

  /** One connection through the wire. */
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
        // The other direction has ended, and this one with it.
      }
    }
  }

  @Override
  public void close() {
    goOn();
    try {
      door.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
