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

import fleet.tower.lock.Together;
import fleet.tower.platform.StorageException;

@DisplayName("A database that cannot be used says what to do")
class BadDatabaseTest {
  private static final String VERSIONS = "SELECT version FROM schema_versions ORDER BY version";

  private final Path file;

  BadDatabaseTest(@TempDir Path home) {
    file = home.resolve("state/tower.db");
  }

  private Database database(String... scripts) {
    return new Database(new Sqlite(file, 5000), new Migrations(List.of(scripts)));
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
  @DisplayName("A newer database is refused and left as it is; an older one is brought up to date, each script once")
  void versions() {
    try (Database old = database("V1__runs.sql")) {
      old.writeDurably(_ -> 0);
      assertThat(versions(old)).contains(List.of(1L));
    }
    try (Database current = database("V1__runs.sql", "T2__notes.sql")) {
      assertThat(versions(current)).contains(List.of(1L, 2L));
    }
    refused(database("V1__runs.sql"), "the database " + file
        + " has schema 2, this program knows 1: a newer one has used it; upgrade this program");
    try (Database current = database("V1__runs.sql", "T2__notes.sql")) {
      assertThat(versions(current)).contains(List.of(1L, 2L));
      assertThat(current.read(session -> session.query("SELECT text FROM notes", row -> row.getString(1))))
          .contains(List.of("from the script"));
    }
  }

  @Test
  @DisplayName("A script that fails leaves nothing of all that came with it")
  void brokenScript() {
    try (Database old = database("V1__runs.sql")) {
      old.writeDurably(_ -> 0);
    }
    refused(database("V1__runs.sql", "T2__notes.sql", "T3__broken.sql"),
        "the database " + file + " does not work [SQLITE_ERROR]");
    try (Database old = database("V1__runs.sql")) {
      assertThat(versions(old)).contains(List.of(1L));
    }
  }

  @Test
  @DisplayName("Many who find it missing at once make it once")
  void madeOnce() {
    List<Database> all = IntStream.range(0, 10).mapToObj(_ -> database("V1__runs.sql", "T2__notes.sql")).toList();
    Together.call(all.stream().<Together.Work<Integer>>map(
        one -> () -> one.writeDurably(session -> session.update("INSERT INTO notes (text) VALUES ('mine')"))).toList());

    assertThat(all).allSatisfy(one -> assertThat(versions(one)).contains(List.of(1L, 2L)));
    assertThat(all.getFirst().read(session -> session.query("SELECT text FROM notes", row -> row.getString(1))))
        .get().asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST).hasSize(11);
    all.forEach(Database::close);
  }

  @Test
  @DisplayName("A file that is no database is refused and left as it is")
  void noDatabase() throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file,
        "this is a text, and quite a long one, so that nobody takes it for an empty database ".repeat(50));
    byte[] before = Files.readAllBytes(file);

    refused(database("V1__runs.sql"),
        file + " is not a database; move it away, or put a backup in its place [SQLITE_NOTADB]");

    assertThat(file).hasBinaryContent(before);
  }

  @Test
  @DisplayName("A damaged database is told from an empty one")
  void damaged() throws IOException {
    try (Database database = database("V1__runs.sql")) {
      database.writeDurably(_ -> 0);
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(4096 - 100), 100);
    }

    refused(database("V1__runs.sql"), "the database " + file
        + " is damaged; stop what uses it, then put a backup in its place or move it away [SQLITE_CORRUPT]");
  }

  @Test
  @DisplayName("A file where the directory should be, and a directory where the file should be")
  void wrongKinds() throws IOException {
    Files.writeString(file.getParent(), "a file");
    try (Database database = database("V1__runs.sql")) {
      assertThatExceptionOfType(StorageException.class).isThrownBy(() -> database.writeDurably(_ -> 0))
          .withMessage("the database " + file + " cannot be made: ENOTDIR: not a directory (" + file.getParent()
              + "); make " + file.getParent() + " a directory that this user may write");
    }
    Files.delete(file.getParent());
    Files.createDirectories(file);
    try (Database database = database("V1__runs.sql")) {
      assertThatExceptionOfType(StorageException.class).isThrownBy(() -> database.writeDurably(_ -> 0))
          .withMessageContaining(file + " cannot be opened; make " + file.getParent());
    }
  }

  @ParameterizedTest
  @CsvSource({"SQLITE_FULL, is full; make room on it", "SQLITE_BUSY_SNAPSHOT, was locked by another process",
      "SQLITE_READONLY_DIRECTORY, cannot be written; make it and its directory writable",
      "SQLITE_CANTOPEN_ISDIR, cannot be opened; make", "SQLITE_CORRUPT_INDEX, is damaged; stop what uses it",
      "SQLITE_IOERR_FSYNC, could not be read or written; look at its disk", "SQLITE_NOMEM, does not work"})
  @DisplayName("Every error names the file and what to do")
  void explains(SQLiteErrorCode code, String words) {
    assertThat(new Sqlite(file, 0).explain(new SQLiteException("whatever", code))).hasMessageContaining(words)
        .hasMessageContaining(file.toString()).hasMessageEndingWith("[" + code.name() + "]");
  }

  @Test
  @DisplayName("A URL of a kind that is not known here is refused, and no password is repeated")
  void unknownUrl() {
    assertThatExceptionOfType(StorageException.class)
        .isThrownBy(() -> Database.at("jdbc:mysql://host/db?user=anna&password=secret"))
        .withMessage("the database URL jdbc:mysql://host/db… is of no kind that is known here; "
            + "use jdbc:sqlite:FILE or jdbc:postgresql://HOST/NAME");
    assertThatExceptionOfType(StorageException.class).isThrownBy(() -> Database.at("jdbc:sqlite:/home/what?/tower.db"))
        .withMessage("the path of a database may not hold '?': /home/what?/tower.db; use another home");
  }

  @Test
  @DisplayName("A database that is deleted or replaced under its users takes no more, and all is well when it is put back")
  void removed() throws IOException {
    String message = "the database " + file
        + " was deleted or replaced while it was in use; put it back, or start anew what uses it";
    Path aside = file.resolveSibling("aside");
    try (Database database = database("V1__runs.sql")) {
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
