package fleet.tower.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

import fleet.tower.lease.Holder;
import fleet.tower.lock.AcquireRequest;

/**
 * A minimal lock in PostgreSQL: a row with the same columns, acquired by an upsert that checks whether it is free and
 * released by an update, each prepared once and committed separately, on a pool of connections. It has the token, the
 * owner, the times and the ttl that a lock needs; it supports no freezes, waiters, other versions, failovers or lost
 * answers.
 */
final class BareLocks implements AutoCloseable {
  private static final String TABLE = "CREATE TABLE bare_locks (name VARCHAR(128) PRIMARY KEY, token BIGINT NOT NULL,"
      + " request_id VARCHAR(128), actor TEXT NOT NULL, intent TEXT NOT NULL, intent_version TEXT NOT NULL,"
      + " host_id TEXT NOT NULL, pid BIGINT NOT NULL, created_at TIMESTAMPTZ NOT NULL, heartbeat_at TIMESTAMPTZ NOT NULL,"
      + " ttl_seconds BIGINT NOT NULL, metadata TEXT NOT NULL)";
  private static final String ACQUIRE = "INSERT INTO bare_locks AS l VALUES (?, 1, ?, ?, ?, ?, ?, ?, clock_timestamp(),"
      + " clock_timestamp(), ?, ?) ON CONFLICT (name) DO UPDATE SET token = l.token + 1, request_id = EXCLUDED.request_id,"
      + " actor = EXCLUDED.actor, intent = EXCLUDED.intent, intent_version = EXCLUDED.intent_version,"
      + " host_id = EXCLUDED.host_id, pid = EXCLUDED.pid, created_at = EXCLUDED.created_at,"
      + " heartbeat_at = EXCLUDED.heartbeat_at, ttl_seconds = EXCLUDED.ttl_seconds,"
      + " metadata = EXCLUDED.metadata WHERE l.request_id IS NULL"
      + " RETURNING token";
  private static final String RELEASE = "UPDATE bare_locks SET request_id = NULL WHERE name = ? AND request_id = ?"
      + " AND token = ?";

  private final BlockingQueue<Prepared> idle;
  private final List<Connection> all = new ArrayList<>();

  private record Prepared(PreparedStatement acquire, PreparedStatement release) {}

  BareLocks(String url, int connections) throws SQLException {
    idle = new ArrayBlockingQueue<>(connections);
    for (int i = 0; i < connections; i++) {
      Connection connection = DriverManager.getConnection(url);
      all.add(connection);
      if (i == 0) {
        try (Statement statement = connection.createStatement()) {
          statement.execute(TABLE);
        }
      }
      idle.add(new Prepared(connection.prepareStatement(ACQUIRE), connection.prepareStatement(RELEASE)));
    }
  }

  /** The token of an uncontended lock. */
  long acquire(AcquireRequest request) throws SQLException, InterruptedException {
    Prepared one = idle.take();
    try {
      Holder holder = request.holder();
      one.acquire.setString(1, request.name().value());
      one.acquire.setString(2, request.requestId().value());
      one.acquire.setString(3, holder.actor());
      one.acquire.setString(4, holder.intent());
      one.acquire.setString(5, holder.intentVersion());
      one.acquire.setString(6, holder.hostId());
      one.acquire.setLong(7, holder.pid());
      one.acquire.setLong(8, request.ttl().seconds());
      one.acquire.setString(9, "{}");
      try (var rows = one.acquire.executeQuery()) {
        LockBench.expect(rows.next());
        return rows.getLong(1);
      }
    } finally {
      idle.add(one);
    }
  }

  void release(AcquireRequest request, long token) throws SQLException, InterruptedException {
    Prepared one = idle.take();
    try {
      one.release.setString(1, request.name().value());
      one.release.setString(2, request.requestId().value());
      one.release.setLong(3, token);
      LockBench.expect(one.release.executeUpdate() == 1);
    } finally {
      idle.add(one);
    }
  }

  @Override
  public void close() throws SQLException {
    for (Connection connection : all) {
      connection.close();
    }
  }
}
