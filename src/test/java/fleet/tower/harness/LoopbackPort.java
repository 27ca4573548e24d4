package fleet.tower.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A port of the loopback device. Each connection is served by a thread of its own, and closed when that returns. */
public final class LoopbackPort implements AutoCloseable {
  private final ServerSocket port;
  private final Service service;
  private final Thread acceptor;
  private final Set<Socket> clients = ConcurrentHashMap.newKeySet();

  /** Serves one connection; an {@code IOException} means that a side has closed it. */
  public interface Service {
    void serve(Socket client) throws IOException;
  }

  /** Opens any free port. */
  public LoopbackPort(Service service) {
    this(0, service);
  }

  /**
   * Opens the port.
   *
   * @param number zero for any
   */
  public LoopbackPort(int number, Service service) {
    this.service = service;
    try {
      port = new ServerSocket();
      port.setReuseAddress(true);
      port.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), number), 1000);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    acceptor = Thread.ofVirtual().start(this::accept);
  }

  public int number() {
    return port.getLocalPort();
  }

  /** {@code 127.0.0.1:PORT}. */
  public String address() {
    return "127.0.0.1:" + number();
  }

  private void accept() {
    while (!port.isClosed()) {
      try {
        Socket client = port.accept();
        clients.add(client);
        Thread.ofVirtual().start(() -> serve(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      service.serve(client);
    } catch (IOException gone) {
      // One side has closed the connection; this closes the other one.
    } finally {
      clients.remove(client);
    }
  }

  /**
   * Closes the port and all connections. When this returns, connections are refused: a thread that is about to accept
   * one would still do so after the port was closed.
   */
  @Override
  public void close() {
    try {
      port.close();
      acceptor.join();
      for (Socket client : clients) {
        client.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
