package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.Finding;

@DisplayName("LK-33 the doctor's findings about the database")
class DatabaseExaminationTest {
  private static final Finding FREE = Finding.ok("database writing", "no other process blocks it");
  private final Path file;
  private final String url;

  DatabaseExaminationTest(@TempDir Path directory) {
    file = directory.resolve("tower.db");
    url = "jdbc:sqlite:" + file;
  }

  private List<Finding> examine() {
    return Database.examination(url).examine();
  }

  private void create() {
    try (Database database = Database.at(url)) {
      database.writeDurably(session -> session.update("CREATE TABLE more (text TEXT)"));
      database.writeDurably(session -> session.update("INSERT INTO more (text) WITH RECURSIVE n(i) AS"
          + " (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT hex(randomblob(50)) FROM n"));
      database.writeDurably(session -> session.update("CREATE INDEX more_text ON more (text)"));
    }
  }

  @Test
  @DisplayName("A missing database is ok and not created; an intact one is ok")
  void sound() {
    assertThat(examine()).containsExactly(
        Finding.ok("database", file + " does not exist yet; the first run creates it"));
    assertThat(file).doesNotExist();
    create();
    assertThat(examine())
        .containsExactly(Finding.ok("database", "intact, schema " + Migrations.ALL.scripts().size() + " with "
            + Migrations.ALL.additions().size() + " additions"), FREE);
  }

  @Test
  @DisplayName("A newer schema is a failure; an older one is upgraded by its next use")
  void versions() throws Exception {
    create();
    int known = Migrations.ALL.scripts().size();
    change("INSERT INTO schema_versions (version, script) VALUES (99, 'V99__new.sql')");
    assertThat(examine())
        .contains(Finding.fail("database", file + " has schema 99; this program supports up to " + known,
            "upgrade this program: a newer version has used the database"));
    change("DELETE FROM schema_versions WHERE version > 1");
    Migrations next = new Migrations(List.of("V1__tables.sql", "T2__notes.sql"), List.of("T4__note_of_runs.sql"));
    assertThat(new DatabaseExamination(Connector.of(new Sqlite(file, 1000), null), next, true).examine())
        .containsExactly(Finding.ok("database", "intact, schema 1 with 0 additions; its next use applies"
            + " T2__notes.sql, T4__note_of_runs.sql"), FREE);
  }

  @Test
  @DisplayName("A database locked by an endless write is a failure until the write ends")
  void locked() throws Exception {
    create();
    try (Connection foreign = DriverManager.getConnection(url); Statement statement = foreign.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
      assertThat(examine()).contains(Finding.fail("database writing",
          "another process has been writing to " + file + " for longer than Tower ever does",
          "find out which process has it open: fuser " + file));
    }
    assertThat(examine()).contains(FREE);
  }

  @Test
  @DisplayName("A damaged file, another file and a directory are failures, each with its remedy")
  void damaged() throws Exception {
    create();
    change("PRAGMA wal_checkpoint(TRUNCATE)");
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(bytes.length() / 2);
      bytes.write(new byte[20_000]);
    }
    assertThat(examine()).anyMatch(it -> it.severity() == Finding.Severity.FAIL && it.message().contains("damaged")
        && "stop the programs that use it, then restore a backup or move the file away"
            .equals(withoutCode(it.remedy())));

    Files.writeString(file, "no database, but long enough to be read as one: " + "x".repeat(1000));
    assertThat(examine()).singleElement().satisfies(it -> {
      assertThat(it.severity()).isEqualTo(Finding.Severity.FAIL);
      assertThat(it.message()).isEqualTo(file + " is not a database");
      assertThat(withoutCode(it.remedy())).isEqualTo("move it away or restore a backup");
    });
  }

  private static String withoutCode(@Nullable String remedy) {
    return String.valueOf(remedy).replaceFirst(" \\[.*", "");
  }

  private void change(String sql) throws Exception {
    try (Connection foreign = DriverManager.getConnection(url); Statement statement = foreign.createStatement()) {
      statement.execute(sql);
    }
  }
}
