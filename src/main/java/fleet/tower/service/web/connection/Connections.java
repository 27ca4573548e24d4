package fleet.tower.service.web.connection;

import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import jakarta.servlet.http.HttpServletRequest;

/**
 * The open connections of this service. Connections without a valid token cannot keep others out: each is closed if it
 * is idle for too long, and the oldest of them are closed when connections run short. Request headers have a deadline
 * however slowly they arrive, even on a connection with a valid token.
 */
public final class Connections implements AutoCloseable {
  private static final Duration BETWEEN_SWEEPS = Duration.ofSeconds(1);
  /** The fraction of connections to keep free. */
  private static final int FREE = 8;
  /** The number closed at once when fewer are free. */
  private static final int CLOSED_AT_ONCE = 16;

  private final Map<String, Connection> open = new ConcurrentHashMap<>();
  private final TimeSource time;
  private final Scheduler scheduler;
  private final long limitNanos;
  private volatile boolean isClosed;

  /**
   * @param limit how long a connection may stay open without a valid token, and how long the headers of a request may
   * take
   */
  Connections(TimeSource time, Scheduler scheduler, Duration limit) {
    this.time = time;
    this.scheduler = scheduler;
    this.limitNanos = limit.toNanos();
    sweep();
  }

  /** All request headers have arrived; the token is about to be checked. */
  public void called(HttpServletRequest request) {
    Connection connection = of(request);
    if (connection != null) {
      connection.called();
    }
  }

  /** A request on the connection had a valid token. */
  public void recognised(HttpServletRequest request, boolean isValid) {
    Connection connection = of(request);
    if (connection != null) {
      connection.recognised(isValid);
    }
  }

  private @Nullable Connection of(HttpServletRequest request) {
    return open.get(request.getServletConnection().getConnectionId());
  }

  /**
   * A connection was accepted. Closes some without a token if connections run short.
   *
   * @param isClosed whether it is closed by now; its end may have been reported before this call
   */
  void accepted(String id, SocketChannel channel, int most, BooleanSupplier isClosed) {
    connection(id, channel);
    if (isClosed.getAsBoolean()) {
      closed(id);
    } else if (most > 0 && open.size() > most - most / FREE) {
      makeRoom(Math.max(1, most / CLOSED_AT_ONCE));
    }
  }

  /** Data arrived on a connection; {@code isClosed} as in {@link #accepted}. */
  void received(String id, SocketChannel channel, BooleanSupplier isClosed) {
    connection(id, channel).received(time.nanos());
    if (isClosed.getAsBoolean()) {
      closed(id);
    }
  }

  /** All complete requests of a connection are answered; part of another may have arrived. */
  void answered(String id, boolean isPartLeft) {
    Connection connection = open.get(id);
    if (connection != null) {
      connection.answered(isPartLeft, time.nanos());
    }
  }

  /** A connection was closed. */
  void closed(String id) {
    open.remove(id);
  }

  /** The number of open connections. */
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

  /** A connection that may be closed, and the age of its state. */
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
