package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.platform.StorageException;

@DisplayName("A SQLite database")
class DatabaseTest {
  private static final String READ = "SELECT text FROM notes ORDER BY id";
  private static final String WRITE = "INSERT INTO notes (text) VALUES (?)";
  private static final Migrations NOTES = new Migrations(List.of("V1__tables.sql", "T2__notes.sql"));

  private final Path file;
  private final Database database;

  DatabaseTest(@TempDir Path home) {
    file = home.resolve("state/tower.db");
    database = new Database(new Sqlite(file, 5000), NOTES);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private static List<String> notes(Database from) {
    return from.read(session -> session.query(READ, row -> row.getString(1))).orElse(List.of());
  }

  private static String pragma(Session session, String name) throws SQLException {
    return session.first("PRAGMA " + name, row -> row.getString(1)).orElse("");
  }

  private static List<String> pragmas(Session session) throws SQLException {
    return List.of(pragma(session, "journal_mode"), "synchronous " + pragma(session, "synchronous"),
        "busy " + pragma(session, "busy_timeout"), "keys " + pragma(session, "foreign_keys"),
        "checkpoint " + pragma(session, "wal_autocheckpoint"), "looks " + pragma(session, "query_only"));
  }

  @Test
  @DisplayName("Each connection has the settings of its purpose: durable commits sync, swift ones do not, readers "
      + "cannot write")
  void settings() {
    assertThat(database.writeDurably(DatabaseTest::pragmas)).containsExactly("wal", "synchronous 2", "busy 20",
        "keys 1", "checkpoint 1000", "looks 0");
    assertThat(database.writeSwiftly(DatabaseTest::pragmas)).containsExactly("wal", "synchronous 1", "busy 20",
        "keys 1", "checkpoint 0", "looks 0");
    assertThat(database.read(DatabaseTest::pragmas)).get().asInstanceOf(
        org.assertj.core.api.InstanceOfAssertFactories.LIST).containsExactly("wal", "synchronous 1", "busy 5000",
            "keys 1", "checkpoint 1000", "looks 1");
  }

  @Test
  @DisplayName("A read creates nothing; a write creates the directory and the files for their owner only")
  void createsFilesOnFirstWrite() throws IOException {
    assertThat(notes(database)).isEmpty();
    assertThat(file.getParent()).doesNotExist();

    database.writeSwiftly(session -> session.update(WRITE, "one"));

    assertThat(modes()).containsExactly("rw------- tower.db", "rw------- tower.db-shm", "rw------- tower.db-wal");
    assertThat(mode(file.resolveSibling(""))).isEqualTo("rwx------");
    assertThat(notes(database)).containsExactly("from the script", "one");
  }

  @Test
  @DisplayName("A file that others can read is protected before anything is written")
  void tightens() throws IOException {
    Files.createDirectories(file.getParent());
    Files.createFile(file);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-r--"));

    assertThat(notes(database)).containsExactly("from the script");

    assertThat(modes()).allMatch(mode -> mode.startsWith("rw------- "));
  }

  private List<String> modes() throws IOException {
    try (Stream<Path> files = Files.list(file.resolveSibling(""))) {
      return files.map(path -> mode(path) + " " + path.getFileName()).sorted(
          (a, b) -> a.substring(10).compareTo(b.substring(10))).toList();
    }
  }

  private static String mode(Path path) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("Readers do not wait for writers and see only committed data")
  void readersDoNotWait() {
    database.writeDurably(session -> {
      session.update(WRITE, "not yet");
      assertThat(notes(database)).containsExactly("from the script");
      return "done";
    });
    assertThat(notes(database)).containsExactly("from the script", "not yet");
  }

  @Test
  @DisplayName("A reading connection cannot write")
  void readersCannotWrite() {
    notes(database);
    database.writeDurably(session -> 0);
    assertThatExceptionOfType(StorageException.class)
        .isThrownBy(() -> database.read(session -> session.update(WRITE, "no")))
        .withMessageContaining("cannot be written");
    assertThat(notes(database)).containsExactly("from the script");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("Failed work is rolled back without affecting other work in the same commit")
  void failsAlone(boolean isDurable) {
    List<String> outcomes = ConcurrentCalls
        .call(IntStream.range(0, 32).<ConcurrentCalls.Work<String>>mapToObj(i -> () -> outcome(i, isDurable)).toList());

    for (int i = 0; i < 32; i++) {
      assertThat(outcomes.get(i)).startsWith(switch (i % 4) {
        case 0 -> "the database " + file + " does not work";
        case 1 -> "misuse";
        default -> "kept";
      });
    }
    assertThat(notes(database)).hasSize(1 + 16).doesNotContain("lost");
    assertThat(notes(new Database(new Sqlite(file, 5000), NOTES))).isEqualTo(notes(database));
  }

  private String outcome(int number, boolean isDurable) {
    Database.Work<String> work = session -> {
      session.update(WRITE, number % 4 < 2 ? "lost" : "kept " + number);
      if (number % 4 == 0) {
        session.update("INSERT INTO notes (text) VALUES (NULL)");
      }
      if (number % 4 == 1) {
        throw new IllegalStateException("misuse");
      }
      return "kept";
    };
    try {
      return isDurable ? database.writeDurably(work) : database.writeSwiftly(work);
    } catch (StorageException | IllegalStateException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  @DisplayName("An Error in one write fails the whole batch, and the next batch succeeds")
  void survivesErrors() {
    assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> database.writeDurably(session -> {
      session.update(WRITE, "lost");
      throw new StackOverflowError();
    }));
    database.writeDurably(session -> session.update(WRITE, "kept"));
    assertThat(notes(database)).containsExactly("from the script", "kept");
  }

  @Test
  @DisplayName("A database that is locked for too long is reported, and works once released")
  void locked() {
    try (Database other = new Database(new Sqlite(file, 20), NOTES)) {
      other.read(session -> 0);
      database.writeDurably(session -> {
        assertThatExceptionOfType(StorageException.class)
            .isThrownBy(() -> other.writeDurably(mine -> mine.update(WRITE, "no")))
            .withMessage("the database " + file
                + " was locked by another process for too long; find out which process has it open (fuser " + file
                + ") [SQLITE_BUSY]");
        return session.update(WRITE, "yes");
      });
      other.writeDurably(session -> session.update(WRITE, "now"));
    }
    assertThat(notes(database)).containsExactly("from the script", "yes", "now");
  }
}
