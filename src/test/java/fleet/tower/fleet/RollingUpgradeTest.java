package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.TestHome;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.sql.PostgresServer.TwoUsers;
import fleet.tower.platform.sql.ReleasedStatements;

/**
 * The statements of the last release on the tables of this version. As long as nothing is released, they are this
 * version's own, so the tests prove that a change would be found.
 */
@DisplayName("During a rolling upgrade, this version and the last release share one database")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RollingUpgradeTest {
  private ReleasedStatements released = new ReleasedStatements(0, new LinkedHashMap<>(), new LinkedHashMap<>());

  @BeforeAll
  void read(@TempDir Path home) throws SQLException {
    released = ReleaseSteps.ofLastRelease(home);
  }

  private List<String> differences(String url) {
    return differences(released.steps().sequencedKeySet().stream(), url);
  }

  private List<String> differences(Stream<String> steps, String url) {
    return steps.flatMap(step -> released.differences(step, url).stream()).toList();
  }

  @Test
  @DisplayName("Its statements fit the tables and have the same effects; it finds the version that it expects")
  void statements() {
    String url = PostgresServer.newMigratedDatabase();
    assertThat(new DirectTables(url).look("SELECT MAX(version) FROM schema_versions"))
        .containsExactly(String.valueOf(released.schema()));
    assertThat(released.unparseable(url)).isEmpty();
    assertThat(differences(url)).isEmpty();
  }

  @ParameterizedTest(name = "parity {0}")
  @ValueSource(ints = {0, 1})
  @DisplayName("Each continues with what the other has written, whichever does a step")
  void alternating(int parity, @TempDir Path root) {
    String url = PostgresServer.newMigratedDatabase();
    TestHome home = ReleaseSteps.home(root, url);
    int turn = parity;
    for (String step : ReleaseSteps.names()) {
      if (turn++ % 2 == 0) {
        // A home copies its own log, which has the events of only half of the steps here.
        assertThat(released.differences(step, url)).as(step).filteredOn(each -> !each.contains(" audit_shipped "))
            .isEmpty();
      } else {
        ReleaseSteps.execute(step, home);
      }
    }
  }

  @Test
  @DisplayName("Additive changes pass")
  void additive() {
    TwoUsers users = PostgresServer.newMigratedDatabaseOfTwoUsers();
    List.of("CREATE TABLE added (id TEXT)", "CREATE INDEX added_index ON runs (executor)",
        "ALTER TABLE executors ADD COLUMN added TEXT", "ALTER TABLE tasks ADD COLUMN added BIGINT NOT NULL DEFAULT 0")
        .forEach(new DirectTables(users.owner())::change);

    assertThat(released.unparseable(users.app())).isEmpty();
    assertThat(differences(users.app())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      ALTER TABLE lock_waiters ADD COLUMN mandatory TEXT NOT NULL  | lock,refused
      ALTER TABLE tasks ADD CHECK (priority < 5)                   | create tasks
      CREATE UNIQUE INDEX added ON mailbox_messages (mailbox)      | send
      ALTER TABLE executors RENAME COLUMN machine TO boot          | run
      ALTER TABLE runs DROP COLUMN lock_name                       | run
      ALTER TABLE locks ALTER COLUMN ttl_seconds DROP DEFAULT      | freeze
      """)
  @DisplayName("A mandatory column, a new constraint, a renamed or dropped column and a lost default are found")
  void incompatible(String change, String steps) {
    TwoUsers users = PostgresServer.newMigratedDatabaseOfTwoUsers();
    new DirectTables(users.owner()).change(change);

    assertThat(differences(Stream.of(steps.split(",")), users.app())).isNotEmpty();
  }

  @Test
  @DisplayName("A statement that names a renamed column does not fit the tables")
  void unparseable() {
    TwoUsers users = PostgresServer.newMigratedDatabaseOfTwoUsers();
    new DirectTables(users.owner()).change("ALTER TABLE executors RENAME COLUMN machine TO boot");

    assertThat(released.unparseable(users.app())).isNotEmpty().allMatch(each -> each.contains("\"machine\""));
  }

  private static List<String> newWords(ReleasedStatements released, SequencedMap<String, List<String>> now) {
    List<String> unknown = new ArrayList<>();
    now.forEach((kind, words) -> words.stream()
        .filter(word -> !released.words().getOrDefault(kind, List.of()).contains(word))
        .forEach(word -> unknown.add(kind + " " + word)));
    return unknown;
  }

  @Test
  @DisplayName("Shared tables and documents have no word that it does not know; a new one is found")
  void words() {
    assertThat(newWords(released, ReleaseSteps.words())).isEmpty();
    assertThat(newWords(released, new LinkedHashMap<>(Map.of("run", List.of("RUNNING", "PAUSED")))))
        .containsExactly("run PAUSED");
  }
}
