package fleet.tower.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A TCP proxy between a client and a service that can cut one connection after a given text of the service, and can
 * stop forwarding.
 */
public final class FaultyProxy implements AutoCloseable {
  private final URI service;
  private final String cutBehind;
  private final LoopbackPort port;
  private final AtomicBoolean hasCut = new AtomicBoolean();
  private volatile boolean silent;
  private final Queue<String> asked = new ConcurrentLinkedQueue<>();

  public FaultyProxy(String service, String cutBehind) {
    this.service = URI.create(service);
    this.cutBehind = cutBehind;
    port = new LoopbackPort(this::serve);
  }

  public String url() {
    return "http://" + port.address();
  }

  public boolean hasCut() {
    return hasCut.get();
  }

  /** From now on, accepts everything and forwards nothing. */
  public void fallSilent() {
    silent = true;
  }

  /** Everything that clients have sent. */
  public String asked() {
    return String.join("", asked);
  }

  private void serve(Socket client) throws IOException {
    Socket upstream = new Socket(service.getHost(), service.getPort());
    Thread.ofVirtual().start(() -> pump(upstream, client, true));
    pump(client, upstream, false);
  }

  private void pump(Socket from, Socket to, boolean isAnswer) {
    StringBuilder passed = new StringBuilder();
    byte[] buffer = new byte[8192];
    try (from; to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (silent) {
          continue;
        }
        out.write(buffer, 0, read);
        String text = new String(buffer, 0, read, StandardCharsets.ISO_8859_1);
        if (!isAnswer) {
          asked.add(text);
        } else if (passed.append(text).indexOf(cutBehind) >= 0 && hasCut.compareAndSet(false, true)) {
          return;
        }
      }
    } catch (IOException cut) {
      // The other direction has ended, so this one has too.
    }
  }

  @Override
  public void close() {
    port.close();
  }
}
