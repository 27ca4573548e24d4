package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.lock.ConcurrentCalls;

@DisplayName("The write-ahead log of a SQLite database stays short, although its commits do not wait for the disk")
class CheckpointsTest {
  private static final long MOST = 64L << 20;
  private static final String TEXT = "x".repeat(16_000);
  private static final int THREADS = 4;

  private final Path file;
  private final Database database;

  CheckpointsTest(@TempDir Path home) {
    file = home.resolve("tower.db");
    database = new Database(new Sqlite(file, 5000), new Migrations(List.of("V1__tables.sql", "T2__notes.sql")));
  }

  @AfterEach
  void close() {
    database.close();
  }

  private long log() {
    return file.resolveSibling("tower.db-wal").toFile().length();
  }

  /** Writes 16 kB or more a note. */
  private void write(int notes) {
    for (int i = 0; i < notes; i++) {
      database.writeSwiftly(session -> session.update("INSERT INTO notes (text) VALUES (?)", TEXT));
    }
  }

  private long notes() {
    return database.read(session -> session.query("SELECT COUNT(*) FROM notes", row -> row.getLong(1)).getFirst())
        .orElse(0L);
  }

  @Test
  @DisplayName("While several threads write without a pause, the log stays below 64 MiB and nothing is lost")
  void underLoad() throws Exception {
    ConcurrentCalls.call(Collections.nCopies(THREADS, () -> {
      write(1500);
      return true;
    }));

    assertThat(log()).isLessThan(MOST);
    assertThat(notes()).isEqualTo(1 + THREADS * 1500L);
    assertThat(Files.size(file)).isGreaterThan(MOST);
  }

  @Test
  @DisplayName("A log that a reader has kept from beginning anew shrinks when the reader has ended")
  void afterReader() throws Exception {
    write(1);
    try (Connection other = DriverManager.getConnection(Sqlite.URL + file);
        Statement reader = other.createStatement()) {
      reader.execute("BEGIN");
      assertThat(first(reader)).isEqualTo(2);
      write(4500);
      assertThat(first(reader)).isEqualTo(2);
    }
    assertThat(log()).isGreaterThan(MOST);

    Await.until("a short log", () -> {
      write(40);
      return log() < MOST;
    });
  }

  private static long first(Statement reader) throws SQLException {
    try (ResultSet count = reader.executeQuery("SELECT COUNT(*) FROM notes")) {
      count.next();
      return count.getLong(1);
    }
  }
}
