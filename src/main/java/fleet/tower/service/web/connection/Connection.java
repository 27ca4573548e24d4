package fleet.tower.service.web.connection;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/** One connection, and how long it has been doing what it does now. */
final class Connection {

  private enum Phase {
    /** Nothing has arrived since the last answer, or ever. */
    IDLE,
    /** The headers of a request are arriving. */
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

  /** Where headers alone have arrived, they have gone on arriving since the first of them. */
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

  /** Whether it shows no token, or does not complete its headers, for too long; or is closed already. */
  synchronized boolean isOverdue(long nanos, long limitNanos) {
    return !channel.isOpen() || ((!isTrusted || phase == Phase.HEADERS) && nanos - sinceNanos >= limitNanos);
  }

  /**
   * Makes the connection look as if its client had closed it, whatever Tomcat is doing with it: Tomcat then closes it itself,
   * behind the answer that it may be writing. Closing it from here would race with Tomcat, which uses the buffers again.
   */
  void end() {
    try {
      channel.shutdownInput();
    } catch (IOException alreadyClosed) {
      // That is what was wanted.
    }
  }
}
