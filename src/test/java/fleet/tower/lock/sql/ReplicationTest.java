package fleet.tower.lock.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.Properties;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

import fleet.tower.platform.Finding;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.PostgresServer;

/** To the server, any client that streams its log is a standby; this one stores nothing. */
class ReplicationTest {
  private final String url = PostgresServer.newDatabase();

  private List<Finding> findings() {
    try (Database database = Database.at(url)) {
      return new ReplicationExamination(database).examine();
    }
  }

  private Connection follower() throws Exception {
    Properties properties = new Properties();
    PGProperty.REPLICATION.set(properties, "database");
    PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "9.4");
    PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
    return DriverManager.getConnection(url, properties);
  }

  @Test
  @DisplayName("A server without a standby is healthy; one without a synchronous standby is degraded")
  void asynchronous() throws Exception {
    assertThat(findings()).containsExactly(Finding.ok("replication", "no standby follows this server"));

    try (Connection follower = follower();
        PGReplicationStream stream = follower.unwrap(PGConnection.class).getReplicationAPI().replicationStream()
            .physical().withStartPosition(LogSequenceNumber.valueOf(flushed())).start()) {
      assertThat(stream.isClosed()).isFalse();
      assertThat(findings()).singleElement().satisfies(finding -> {
        assertThat(finding.severity()).isEqualTo(Finding.Severity.WARN);
        assertThat(finding.message()).startsWith("degraded: asynchronous replication");
      });
    }
  }

  /** What the server can send: written records that are not flushed yet would be refused as a start. */
  private String flushed() throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT CAST(pg_current_wal_flush_lsn() AS TEXT)")) {
      rows.next();
      return rows.getString(1);
    }
  }
}
