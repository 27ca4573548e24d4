package fleet.tower.service.mcp.stdio;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

import fleet.tower.cli.envelope.Reply;
import fleet.tower.cli.mcp.McpCommand;
import fleet.tower.cli.server.Server;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.platform.Exit;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.wait.WakeUp;
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
public final class StdioServer implements McpCommand.Start {
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

  @Override
  public Reply run(McpCommand.Request request) {
    Supplier<Server> service = request.service();
    try (Peer peer = service == null ? onFiles(request) : new RelayPeer(service)) {
      run(request, peer);
    }
    return Reply.silent(Exit.DONE);
  }

  private Peer onFiles(McpCommand.Request request) {
    RunEngine engine = request.home().runs().engine(Member.Kind.COMMAND);
    return new HomePeer(protocol.of(request.home(), engine), request.caller(), request.home(), engine);
  }

  private void run(McpCommand.Request request, Peer peer) {
    MessageLoop loop = new MessageLoop(peer, out, request.warnings());
    WakeUp isOver = new WakeUp();
    request.interruptions().on(() -> {
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
    Scheduler.Pending end = scheduler.apply(request.home()).after(LAST_ANSWERS, loop::endWaits);
    loop.awaitEnd();
    end.cancel();
  }
}
