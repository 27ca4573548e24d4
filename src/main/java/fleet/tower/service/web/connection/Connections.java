package fleet.tower.service.web.connection;

import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import jakarta.servlet.http.HttpServletRequest;

/**
 * The open connections of this service. Those that have not shown a valid token cannot keep others out: each is closed when it
 * is idle for too long, and the oldest of them are closed when connections run short. The headers of a request have a deadline
 * however slowly they arrive, also on a connection that has shown a token.
 */
public final class Connections implements AutoCloseable {
  private static final Duration BETWEEN_SWEEPS = Duration.ofSeconds(1);
  /** So many of all connections are kept free, as a fraction. */
  private static final int FREE = 8;
  /** So many are closed at once when fewer are free. */
  private static final int CLOSED_AT_ONCE = 16;

  private final Map<String, Connection> open = new ConcurrentHashMap<>();
  private final TimeSource time;
  private final Scheduler scheduler;
  private final long limitNanos;
  private volatile boolean isClosed;

  /** @param limit how long a connection may stay open without a valid token, and how long the headers of a request may take */
  Connections(TimeSource time, Scheduler scheduler, Duration limit) {
    this.time = time;
    this.scheduler = scheduler;
    this.limitNanos = limit.toNanos();
    sweep();
  }

  /** The request on a connection has all its headers, and its token is about to be looked at. */
  public void called(HttpServletRequest request) {
    Connection connection = of(request);
    if (connection != null) {
      connection.called();
    }
  }

  /** A request on a connection has shown a token. */
  public void recognised(HttpServletRequest request, boolean isValid) {
    Connection connection = of(request);
    if (connection != null) {
      connection.recognised(isValid);
    }
  }

  private @Nullable Connection of(HttpServletRequest request) {
    return open.get(request.getServletConnection().getConnectionId());
  }

  /** A connection was accepted. Closes some that have shown no token if there are almost as many as there may be. */
  void accepted(String id, SocketChannel channel, int most) {
    connection(id, channel);
    if (most > 0 && open.size() > most - most / FREE) {
      makeRoom(Math.max(1, most / CLOSED_AT_ONCE));
    }
  }

  /** Something has arrived on a connection. */
  void received(String id, SocketChannel channel) {
    connection(id, channel).received(time.nanos());
  }

  /** All requests that have arrived on a connection are answered; part of another may have arrived. */
  void answered(String id, boolean isPartLeft) {
    Connection connection = open.get(id);
    if (connection != null) {
      connection.answered(isPartLeft, time.nanos());
    }
  }

  /** A connection is closed. */
  void closed(String id) {
    open.remove(id);
  }

  /** How many are open. */
  int size() {
    return open.size();
  }

  private Connection connection(String id, SocketChannel channel) {
    return open.computeIfAbsent(id, _ -> new Connection(channel, time.nanos()));
  }

  private void makeRoom(int connections) {
    long now = time.nanos();
    open.entrySet().stream().filter(entry -> !entry.getValue().isTrusted())
        .map(entry -> new Candidate(entry, now - entry.getValue().sinceNanos()))
        .sorted(Comparator.comparingLong(Candidate::ageNanos).reversed()).limit(connections)
        .forEach(candidate -> end(candidate.entry()));
  }

  /** A connection that may be closed, and for how long it has been as it is. */
  private record Candidate(Map.Entry<String, Connection> entry, long ageNanos) {}

  private void sweep() {
    if (isClosed) {
      return;
    }
    long now = time.nanos();
    open.entrySet().stream().filter(entry -> entry.getValue().isOverdue(now, limitNanos)).forEach(this::end);
    scheduler.after(BETWEEN_SWEEPS, this::sweep);
  }

  private void end(Map.Entry<String, Connection> entry) {
    open.remove(entry.getKey(), entry.getValue());
    entry.getValue().end();
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
