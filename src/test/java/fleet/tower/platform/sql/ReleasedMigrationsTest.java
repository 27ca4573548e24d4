package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks the scripts against {@code src/test/resources/released/scripts.sha256}, which has a line for each released
 * script.
 */
@DisplayName("Released scripts never change, and a database of any released version is upgraded to the newest")
class ReleasedMigrationsTest {
  private static final List<String> TWO_VERSIONS = List.of("V1__tables.sql", "T2__notes.sql");
  private static final List<String> ADDITIONS = List.of("T4__note_of_runs.sql");
  private static final String RELEASED = "/released/scripts.sha256";

  /** A script and the checksum of its bytes. */
  private record Released(String sum, String script) {}

  private static List<Released> released() {
    return new String(bytes(RELEASED), StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#"))
        .map(line -> line.split(" +", 2)).map(words -> new Released(words[0], words[1])).toList();
  }

  private static byte[] bytes(String resource) {
    try (InputStream in = ReleasedMigrationsTest.class.getResourceAsStream(resource)) {
      return in == null ? new byte[0] : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] script(String name) {
    return bytes("/db/migration/" + name);
  }

  private static String sum(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /** The deviations of a program's scripts from the released ones. */
  private static List<String> mistakes(List<Released> released, List<String> scripts,
      Function<String, byte[]> content) {
    List<String> mistakes = new ArrayList<>();
    for (int i = 0; i < released.size(); i++) {
      Released each = released.get(i);
      if (i >= scripts.size() || !scripts.get(i).equals(each.script())) {
        mistakes.add(each.script() + " is not number " + (i + 1) + " any more");
      } else if (!sum(content.apply(each.script())).equals(each.sum())) {
        mistakes.add(each.script() + " was released and has changed; put the change into a new script");
      }
    }
    return mistakes;
  }

  @Test
  @DisplayName("A released script keeps its content and position; a changed, moved or removed one is detected")
  void unchanged() {
    assertThat(mistakes(released(), Migrations.ALL.scripts(), ReleasedMigrationsTest::script)).isEmpty();

    List<Released> fixture = TWO_VERSIONS.stream().map(name -> new Released(sum(script(name)), name)).toList();
    assertThat(mistakes(fixture, TWO_VERSIONS, ReleasedMigrationsTest::script)).isEmpty();
    assertThat(mistakes(fixture, TWO_VERSIONS, name -> name.startsWith("V1")
        ? "CREATE TABLE locks (a INT)".getBytes(StandardCharsets.UTF_8)
        : script(name)))
        .containsExactly("V1__tables.sql was released and has changed; put the change into a new script");
    assertThat(mistakes(fixture, TWO_VERSIONS.reversed(), ReleasedMigrationsTest::script))
        .containsExactly("V1__tables.sql is not number 1 any more", "T2__notes.sql is not number 2 any more");
    assertThat(mistakes(fixture, TWO_VERSIONS.subList(0, 1), ReleasedMigrationsTest::script))
        .containsExactly("T2__notes.sql is not number 2 any more");
  }

  @Test
  @DisplayName("Scripts are numbered in the order of execution")
  void numbered() {
    assertThat(Stream.concat(Migrations.ALL.scripts().stream(), Migrations.ALL.additions().stream())
        .map(script -> Integer.parseInt(script.replaceAll("V(\\d+)__.*", "$1")))).isSorted().doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("A database of any earlier version is upgraded by its next use")
  void fromEveryVersion(@TempDir Path temp) {
    Migrations newest = new Migrations(TWO_VERSIONS, ADDITIONS);
    for (int version = 1; version <= TWO_VERSIONS.size(); version++) {
      Migrations earlier = new Migrations(TWO_VERSIONS.subList(0, version));
      Path file = temp.resolve("v" + version + ".db");
      String url = PostgresServer.newDatabase();
      for (Dialect dialect : List.of(new Sqlite(file, 1000), new Postgres(url, 1000))) {
        try (Database old = new Database(dialect, earlier); Database now = new Database(dialect, newest)) {
          assertThat(version(old)).isEqualTo(version);
          assertThat(version(now)).isEqualTo(TWO_VERSIONS.size());
          assertThat(additions(now)).isEqualTo(ADDITIONS);
        }
      }
    }
  }

  private static List<String> additions(Database database) {
    return database.writeDurably(session -> session.query("SELECT script FROM schema_additions",
        row -> row.getString(1)));
  }

  private static int version(Database database) {
    return database.writeDurably(session -> session.query("SELECT MAX(version) FROM schema_versions",
        row -> row.getInt(1)).getFirst());
  }
}
