package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

import fleet.tower.harness.Await;
import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.platform.StorageException;

@DisplayName("The error of an unusable database states the remedy")
class BadDatabaseTest {
  private static final String VERSIONS = "SELECT version FROM schema_versions ORDER BY version";

  private final Path file;

  BadDatabaseTest(@TempDir Path home) {
    file = home.resolve("state/tower.db");
  }

  private Database database(String... scripts) {
    // A slow disk may make ten writers wait for each other for seconds.
    return new Database(new Sqlite(file, (int) Await.LIMIT.toMillis()), new Migrations(List.of(scripts)));
  }

  private static Optional<List<Long>> versions(Database database) {
    return database.read(session -> session.query(VERSIONS, row -> row.getLong(1)));
  }

  private static void refused(Database database, String message) {
    try (database) {
      assertThatExceptionOfType(StorageException.class).isThrownBy(() -> versions(database)).withMessage(message);
      assertThatExceptionOfType(StorageException.class).isThrownBy(() -> database.writeDurably(_ -> 0))
          .withMessage(message);
    }
  }

  @Test
  @DisplayName("A newer database is rejected unchanged; an older one is upgraded, each script once")
  void versions() {
    try (Database old = database("V1__tables.sql")) {
      old.writeDurably(_ -> 0);
      assertThat(versions(old)).contains(List.of(1L));
    }
    try (Database current = database("V1__tables.sql", "T2__notes.sql")) {
      assertThat(versions(current)).contains(List.of(1L, 2L));
    }
    refused(database("V1__tables.sql"), "the database " + file
        + " has schema 2; this program supports up to 1, a newer version has used it; upgrade this program");
    try (Database current = database("V1__tables.sql", "T2__notes.sql")) {
      assertThat(versions(current)).contains(List.of(1L, 2L));
      assertThat(current.read(session -> session.query("SELECT text FROM notes", row -> row.getString(1))))
          .contains(List.of("from the script"));
    }
  }

  @Test
  @DisplayName("A failed script leaves no change of its transaction")
  void brokenScript() {
    try (Database old = database("V1__tables.sql")) {
      old.writeDurably(_ -> 0);
    }
    refused(database("V1__tables.sql", "T2__notes.sql", "T3__broken.sql"),
        "the database " + file + " does not work [SQLITE_ERROR]");
    try (Database old = database("V1__tables.sql")) {
      assertThat(versions(old)).contains(List.of(1L));
    }
  }

  @Test
  @DisplayName("Concurrent processes create a missing database once")
  void createdOnce() {
    List<Database> all = IntStream.range(0, 10).mapToObj(_ -> database("V1__tables.sql", "T2__notes.sql")).toList();
    ConcurrentCalls.call(all.stream().<ConcurrentCalls.Work<Integer>>map(
        one -> () -> one.writeDurably(session -> session.update("INSERT INTO notes (text) VALUES ('mine')"))).toList());

    assertThat(all).allSatisfy(one -> assertThat(versions(one)).contains(List.of(1L, 2L)));
    assertThat(all.getFirst().read(session -> session.query("SELECT text FROM notes", row -> row.getString(1))))
        .get().asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST).hasSize(11);
    all.forEach(Database::close);
  }

  @Test
  @DisplayName("A file that is not a database is rejected unchanged")
  void noDatabase() throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file,
        "this is a text, and quite a long one, so that nobody takes it for an empty database ".repeat(50));
    byte[] before = Files.readAllBytes(file);

    refused(database("V1__tables.sql"),
        file + " is not a database; move it away or restore a backup [SQLITE_NOTADB]");

    assertThat(file).hasBinaryContent(before);
  }

  @Test
  @DisplayName("A damaged database is distinguished from an empty one")
  void damaged() throws IOException {
    try (Database database = database("V1__tables.sql")) {
      database.writeDurably(_ -> 0);
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(4096 - 100), 100);
    }

    refused(database("V1__tables.sql"), "the database " + file
        + " is damaged; stop the programs that use it, then restore a backup or move the file away [SQLITE_CORRUPT]");
  }

  @Test
  @DisplayName("A file in place of the directory, and a directory in place of the file")
  void wrongKinds() throws IOException {
    Files.writeString(file.getParent(), "a file");
    try (Database database = database("V1__tables.sql")) {
      assertThatExceptionOfType(StorageException.class).isThrownBy(() -> database.writeDurably(_ -> 0))
          .withMessage("the database " + file + " cannot be created: ENOTDIR: not a directory (" + file.getParent()
              + "); make " + file.getParent() + " a directory that this user can write");
    }
    Files.delete(file.getParent());
    Files.createDirectories(file);
    try (Database database = database("V1__tables.sql")) {
      assertThatExceptionOfType(StorageException.class).isThrownBy(() -> database.writeDurably(_ -> 0))
          .withMessageContaining(file + " cannot be opened; make " + file.getParent());
    }
  }

  @ParameterizedTest
  @CsvSource({"SQLITE_FULL, is full; free some space", "SQLITE_BUSY_SNAPSHOT, was locked by another process",
      "SQLITE_READONLY_DIRECTORY, cannot be written; make it and its directory writable",
      "SQLITE_CANTOPEN_ISDIR, cannot be opened; make",
      "SQLITE_CORRUPT_INDEX, is damaged; stop the programs that use it",
      "SQLITE_IOERR_FSYNC, could not be read or written; check its disk", "SQLITE_NOMEM, does not work"})
  @DisplayName("Every error names the file and the remedy")
  void explains(SQLiteErrorCode code, String words) {
    assertThat(new Sqlite(file, 0).explain(new SQLiteException("whatever", code))).hasMessageContaining(words)
        .hasMessageContaining(file.toString()).hasMessageEndingWith("[" + code.name() + "]");
  }

  @Test
  @DisplayName("An unsupported URL is rejected without repeating its password")
  void unknownUrl() {
    assertThatExceptionOfType(StorageException.class)
        .isThrownBy(() -> Database.at("jdbc:mysql://host/db?user=anna&password=secret"))
        .withMessage("the database URL jdbc:mysql://host/db… is not supported; "
            + "use jdbc:sqlite:FILE or jdbc:postgresql://HOST/NAME");
    assertThatExceptionOfType(StorageException.class).isThrownBy(() -> Database.at("jdbc:sqlite:/home/what?/tower.db"))
        .withMessage("the path of a database must not contain '?': /home/what?/tower.db; use another home");
  }

  @Test
  @DisplayName("A database that is deleted or replaced while in use rejects writes, and works again once restored")
  void removed() throws IOException {
    String message = "the database " + file
        + " was deleted or replaced while it was in use; restore it, or restart the programs that use it";
    Path aside = file.resolveSibling("aside");
    try (Database database = database("V1__tables.sql")) {
      database.writeDurably(_ -> 0);
      Files.move(file, aside);
      assertThatExceptionOfType(StorageException.class).isThrownBy(() -> database.writeDurably(_ -> 0))
          .withMessage(message);
      Files.createFile(file);
      assertThatExceptionOfType(StorageException.class).isThrownBy(() -> database.writeSwiftly(_ -> 0))
          .withMessage(message);
      assertThat(file).isEmptyFile();
      Files.delete(file);
      Files.move(aside, file);
      int written = database.writeDurably(_ -> 7);
      assertThat(written).isEqualTo(7);
    }
  }
}
