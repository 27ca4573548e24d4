package fleet.tower.service.mcp.stdio;

import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

import fleet.tower.platform.time.Cancellation;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.SentMessage;

/**
 * The exchange of messages with the client. Each request is answered on its own thread, so that answers come in any
 * order. A request that the client cancels gets no answer and no further notification.
 */
final class MessageLoop {
  /** The number of requests at the same time. */
  static final int MAX_REQUESTS = 1_000;

  private final Peer peer;
  private final ClientOutput out;
  private final Consumer<String> warnings;
  private final Map<String, Pending> pending = new ConcurrentHashMap<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /** @param warnings receives failures that are bugs */
  MessageLoop(Peer peer, ClientOutput out, Consumer<String> warnings) {
    this.peer = peer;
    this.out = out;
    this.warnings = warnings;
  }

  /** A request without an answer yet. */
  private static final class Pending {
    private final Cancellation cancellation = new Cancellation();
    private volatile boolean isUnwanted;
  }

  /** Reads messages until the end of the input. */
  void read(InputStream in) {
    Lines lines = new Lines(in);
    for (Lines.Line line = lines.next(); line != null; line = lines.next()) {
      if (line.isTooLong()) {
        out.send(JsonRpc.error(null, ProtocolError.INVALID_REQUEST,
            "the message is longer than " + Lines.MAX_BYTES + " bytes"));
      } else if (!line.isBlank()) {
        receive(line.bytes());
      }
    }
  }

  private void receive(byte[] line) {
    switch (peer.read(line)) {
      case Peer.Begin request -> begin(request);
      case Peer.Cancel(String id) -> {
        Pending unwanted = pending.get(id);
        if (unwanted != null) {
          unwanted.isUnwanted = true;
          unwanted.cancellation.cancel();
        }
      }
      case Peer.Reject(SentMessage answer) -> out.send(answer);
      case Peer.Ignore() -> {
        // Nothing follows from it.
      }
    }
  }

  private void begin(Peer.Begin request) {
    Pending begun = new Pending();
    if (pending.size() >= MAX_REQUESTS) {
      out.send(JsonRpc.error(request.id(), ProtocolError.INTERNAL_ERROR, "there are already " + MAX_REQUESTS
          + " requests without an answer; wait for one of them"));
    } else if (pending.putIfAbsent(request.id(), begun) != null) {
      out.send(JsonRpc.error(request.id(), ProtocolError.INVALID_REQUEST,
          "a request with this id has no answer yet; use another id"));
    } else {
      threads.execute(() -> answer(request, begun));
    }
  }

  private void answer(Peer.Begin request, Pending begun) {
    SentMessage answer;
    try {
      answer = request.work().answer(message -> {
        if (!begun.isUnwanted) {
          out.send(message);
        }
      }, begun.cancellation);
    } catch (RuntimeException e) {
      warnings.accept("a request failed: " + e);
      answer = JsonRpc.error(request.id(), ProtocolError.INTERNAL_ERROR, "internal error; see stderr");
    }
    // The client may use the id again as soon as it has the answer.
    pending.remove(request.id());
    if (!begun.isUnwanted) {
      out.send(answer);
    }
  }

  /** Ends the waits of all requests, which are then answered. */
  void endWaits() {
    pending.values().forEach(each -> each.cancellation.cancel());
  }

  /** Waits until all requests have ended. The input has ended, or its reader is ignored. */
  void awaitEnd() {
    threads.close();
  }
}
