package fleet.tower.service.web.connection;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/** A connection, its state, and since when. */
final class Connection {

  private enum Phase {
    /** Idle: nothing has arrived since the last answer, or ever. */
    IDLE,
    /** Request headers are arriving. */
    HEADERS,
    /** A request is being answered. */
    CALL
  }

  private final SocketChannel channel;
  private Phase phase = Phase.IDLE;
  private boolean isTrusted;
  private long sinceNanos;

  Connection(SocketChannel channel, long nanos) {
    this.channel = channel;
    this.sinceNanos = nanos;
  }

  synchronized void received(long nanos) {
    if (phase == Phase.IDLE) {
      phase = Phase.HEADERS;
      sinceNanos = nanos;
    }
  }

  synchronized void called() {
    phase = Phase.CALL;
  }

  synchronized void recognised(boolean isValid) {
    isTrusted = isValid;
  }

  /** Partial headers keep the time of their first byte. */
  synchronized void answered(boolean isPartLeft, long nanos) {
    if (!isPartLeft || phase == Phase.CALL) {
      phase = isPartLeft ? Phase.HEADERS : Phase.IDLE;
      sinceNanos = nanos;
    }
  }

  synchronized boolean isTrusted() {
    return isTrusted;
  }

  synchronized long sinceNanos() {
    return sinceNanos;
  }

  /** Whether it has had no token or incomplete headers for too long, or is closed. */
  synchronized boolean isOverdue(long nanos, long limitNanos) {
    return !channel.isOpen() || ((!isTrusted || phase == Phase.HEADERS) && nanos - sinceNanos >= limitNanos);
  }

  /**
   * Makes the connection look as if its client had closed it: Tomcat then closes it itself, after any answer it is
   * writing. Closing it here would race with Tomcat, which reuses the buffers.
   */
  void end() {
    try {
      channel.shutdownInput();
    } catch (IOException alreadyClosed) {
      // Already closed.
    }
  }
}
