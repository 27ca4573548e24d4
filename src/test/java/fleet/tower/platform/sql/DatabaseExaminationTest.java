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

import fleet.tower.platform.check.Finding;

@DisplayName("LK-33 what the doctor says of the database")
class DatabaseExaminationTest {
  private static final Finding FREE = Finding.ok("database writing", "nobody is in the way");
  private final Path file;
  private final String url;

  DatabaseExaminationTest(@TempDir Path directory) {
    file = directory.resolve("tower.db");
    url = "jdbc:sqlite:" + file;
  }

  private List<Finding> examine() {
    return Database.examination(url).examine();
  }

  private void make() {
    try (Database database = Database.at(url)) {
      database.writeDurably(session -> session.update("CREATE TABLE more (text TEXT)"));
      database.writeDurably(session -> session.update("INSERT INTO more (text) WITH RECURSIVE n(i) AS"
          + " (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT hex(randomblob(50)) FROM n"));
      database.writeDurably(session -> session.update("CREATE INDEX more_text ON more (text)"));
    }
  }

  @Test
  @DisplayName("None yet is well and none is made; a whole one is well")
  void sound() {
    assertThat(examine()).containsExactly(
        Finding.ok("database", file + " does not exist yet; the first run makes it"));
    assertThat(file).doesNotExist();
    make();
    assertThat(examine())
        .containsExactly(Finding.ok("database", "whole, schema " + Migrations.ALL.scripts().size()), FREE);
  }

  @Test
  @DisplayName("One that a newer program has used is broken, an older one is brought up by its next use")
  void versions() throws Exception {
    make();
    int known = Migrations.ALL.scripts().size();
    change("INSERT INTO schema_versions (version, script) VALUES (99, 'V99__new.sql')");
    assertThat(examine()).contains(Finding.fail("database", file + " has schema 99, this program knows " + known,
        "upgrade this program: a newer one has used the database"));
    change("DELETE FROM schema_versions");
    assertThat(examine()).containsExactly(
        Finding.ok("database", "whole, schema 0; its next use brings it to " + known), FREE);
  }

  @Test
  @DisplayName("One that another program writes to without an end is broken, and is well again when that has ended")
  void locked() throws Exception {
    make();
    try (Connection foreign = DriverManager.getConnection(url); Statement statement = foreign.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
      assertThat(examine()).contains(Finding.fail("database writing",
          "another process has been writing to " + file + " for longer than any of ours does",
          "see who has it open: fuser " + file));
    }
    assertThat(examine()).contains(FREE);
  }

  @Test
  @DisplayName("One that is damaged, is no database, or is a directory is broken, each with what to do")
  void damaged() throws Exception {
    make();
    change("PRAGMA wal_checkpoint(TRUNCATE)");
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(bytes.length() / 2);
      bytes.write(new byte[20_000]);
    }
    assertThat(examine()).anyMatch(it -> it.severity() == Finding.Severity.FAIL && it.message().contains("damaged")
        && "stop what uses it, then put a backup in its place or move it away".equals(withoutCode(it.remedy())));

    Files.writeString(file, "no database, but long enough to be read as one: " + "x".repeat(1000));
    assertThat(examine()).singleElement().satisfies(it -> {
      assertThat(it.severity()).isEqualTo(Finding.Severity.FAIL);
      assertThat(it.message()).isEqualTo(file + " is not a database");
      assertThat(withoutCode(it.remedy())).isEqualTo("move it away, or put a backup in its place");
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
