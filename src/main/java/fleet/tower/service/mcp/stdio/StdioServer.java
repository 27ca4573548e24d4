package fleet.tower.service.mcp.stdio;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import fleet.tower.access.Caller;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.WakeUp;
import fleet.tower.remote.Server;
import fleet.tower.run.members.Member;
import fleet.tower.service.mcp.wire.Protocol;

/**
 * A server on stdin and stdout, for one client.
 *
 * <ol>
 * <li>At the end of the input, requests have a moment to be answered; then their waits end.
 * <li>Runs of this process continue until they end. Runs that only wait are withdrawn.
 * <li>A signal cancels the runs of this process, at any time: they are rolled back, and their locks released.
 * </ol>
 */
public final class StdioServer {
  /** Time for the last answers, for a client that writes its requests, closes the input and reads. */
  private static final Duration LAST_ANSWERS = Duration.ofSeconds(1);

  private final InputStream in;
  private final ClientOutput out;
  private final ProtocolOfHome protocol;
  private final Function<Home, Scheduler> scheduler;

  /**
   * A server on two streams.
   *
   * @param out carries nothing but messages
   * @param protocol the protocol on the files of a home
   */
  public StdioServer(InputStream in, OutputStream out, ProtocolOfHome protocol) {
    this(in, out, protocol, Home::scheduler);
  }

  StdioServer(InputStream in, OutputStream out, ProtocolOfHome protocol, Function<Home, Scheduler> scheduler) {
    this.in = in;
    this.out = new ClientOutput(out);
    this.protocol = protocol;
    this.scheduler = scheduler;
  }

  /** Creates the protocol of a process that executes runs itself. */
  @FunctionalInterface
  public interface ProtocolOfHome {
    Protocol of(Home home, RunEngine engine);
  }

  /**
   * Serves the client on the files of a home.
   *
   * @param interrupted receives what to do on a signal
   *
   * @param warnings receives problems that do not stop the work
   */
  public void serve(Home home, Caller caller, Consumer<Runnable> interrupted, Consumer<String> warnings) {
    RunEngine engine = home.runs().engine(Member.Kind.COMMAND);
    try (Peer peer = new HomePeer(protocol.of(home, engine), caller, home, engine)) {
      serve(peer, home, interrupted, warnings);
    }
  }

  /**
   * The same, relayed to a service.
   *
   * @param service the service with its current token
   */
  public void relay(Supplier<Server> service, Home home, Consumer<Runnable> interrupted, Consumer<String> warnings) {
    try (Peer peer = new RelayPeer(service)) {
      serve(peer, home, interrupted, warnings);
    }
  }

  private void serve(Peer peer, Home home, Consumer<Runnable> interrupted, Consumer<String> warnings) {
    MessageLoop loop = new MessageLoop(peer, out, warnings);
    WakeUp isOver = new WakeUp();
    interrupted.accept(() -> {
      peer.interrupt();
      loop.endWaits();
      isOver.signal();
    });
    // A read cannot be interrupted, so the thread that reads does not keep the process alive.
    Thread.ofPlatform().name("tower-mcp-input").daemon().start(() -> {
      loop.read(in);
      isOver.signal();
    });
    isOver.await();
    Scheduler.Pending end = scheduler.apply(home).after(LAST_ANSWERS, loop::endWaits);
    loop.awaitEnd();
    end.cancel();
  }
}
