package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Whether a database answers, as one process knows it for all of its connections.
 *
 * <p>A lost connection alone is not an outage. It makes this process probe the database with a connection of its own,
 * at once and then every second until it answers. The first probe that fails begins the outage, and the next that
 * succeeds ends it; only these two are reported. Meanwhile, connections are refused at once, so that no callers queue
 * for a server that does not answer. A database that has never answered has no outage: opening it fails for its caller.
 */
public final class Reachability implements AutoCloseable {
  private static final Duration BETWEEN_PROBES = Duration.ofSeconds(1);
  /** After a probe that succeeded, a lost connection within this time is no reason for another one. */
  private static final Duration TRUST = Duration.ofSeconds(1);

  private final Dialect dialect;
  private final Scheduler scheduler;
  private final TimeSource time;
  private final Listener listener;
  private boolean isProbing;
  private boolean hasAnswered;
  private @Nullable Long provenNanos;
  private volatile @Nullable Long goneNanos;
  private volatile boolean isClosed;

  Reachability(Dialect dialect, Scheduler scheduler, TimeSource time, Listener listener) {
    this.dialect = dialect;
    this.scheduler = scheduler;
    this.time = time;
    this.listener = listener;
  }

  /** Receives the beginning and the end of outages. */
  public interface Listener {

    /**
     * The outage has begun.
     *
     * @param problem what is wrong, with the name of the database
     */
    void gone(String problem);

    /**
     * The outage is over.
     *
     * @param database the name of the database
     */
    void back(String database, Duration after);
  }

  /** Whether the database answers, as far as known. */
  public boolean isUp() {
    return goneNanos == null;
  }

  /** Whether the database may be unreachable. It is probed now unless it answered a moment ago. */
  public synchronized boolean isDoubtful() {
    suspect();
    return isProbing;
  }

  /** Whether outages are reported: the database has answered this process before. */
  synchronized boolean isReporting() {
    return hasAnswered && !isClosed;
  }

  /** The database answered. */
  synchronized void answered() {
    hasAnswered = true;
  }

  /** A connection failed, so the database is probed. */
  synchronized void suspect() {
    Long proven = provenNanos;
    boolean isProven = proven != null && time.nanos() - proven < TRUST.toNanos();
    if (isReporting() && !isProbing && !isProven) {
      isProbing = true;
      Thread.ofVirtual().name("tower-database-probe").start(this::probe);
    }
  }

  /** Refuses a new connection while the database is known to be unreachable. */
  void requireUp() throws SQLException {
    Long gone = goneNanos;
    if (gone != null) {
      throw new SQLException("no answer for " + since(gone).toSeconds() + " s", "08001");
    }
  }

  private void probe() {
    while (!isClosed) {
      try (Session _ = dialect.open(Dialect.Purpose.PROBING)) {
        break;
      } catch (SQLException e) {
        if (!dialect.isConnectionLost(e)) {
          break;
        }
        gone(e);
      }
      scheduler.pause(BETWEEN_PROBES);
    }
    back();
  }

  private void gone(SQLException reason) {
    if (goneNanos == null && !isClosed) {
      goneNanos = time.nanos();
      listener.gone(String.valueOf(dialect.explain(reason).getMessage()));
    }
  }

  private void back() {
    Long gone = goneNanos;
    synchronized (this) {
      provenNanos = time.nanos();
      isProbing = false;
      goneNanos = null;
    }
    if (gone != null && !isClosed) {
      listener.back(dialect.name(), since(gone));
    }
  }

  private Duration since(long nanos) {
    return Duration.ofNanos(time.nanos() - nanos);
  }

  /** Ends the probes and the reports. */
  @Override
  public void close() {
    isClosed = true;
  }
}
