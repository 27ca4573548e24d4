package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.StoreSchema;

@DisplayName("The schema of a database")
class SchemaTest {
  private static final List<String> VERSIONS = Migrations.ALL.scripts();
  private static final List<String> ADDITIONS = List.of("T2__notes.sql", "T4__note_of_runs.sql");
  /** The scripts of the next release. */
  private static final Migrations NEXT = new Migrations(VERSIONS, ADDITIONS);
  private static final String APPLIED = "SELECT script FROM schema_versions ORDER BY version";
  private static final String ADDED = "SELECT script FROM schema_additions";
  private static final String COLUMNS = "SELECT table_name || '.' || column_name || ' ' || data_type || ' '"
      + " || COALESCE(column_default, '') || is_nullable FROM information_schema.columns"
      + " WHERE table_schema = 'public' ORDER BY 1";
  private static final String INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1";
  private static final String OWNERS = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'";
  private static final String SQLITE = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY 1";
  private static final String RUN_MIGRATE = " lacks tables or columns that this program needs, or hides them from this"
      + " user; run `tower migrate` as a user who may create tables";

  private final PostgresServer.TwoUsers users = PostgresServer.newDatabaseOfTwoUsers();
  private final DirectTables tables = new DirectTables(users.owner());
  private final StoreSchema schema = schema(users.owner());

  private static List<String> all() {
    return Stream.concat(VERSIONS.stream(), ADDITIONS.stream()).toList();
  }

  /** A schema as the next release sees it. */
  private static StoreSchema schema(String url) {
    return new DatabaseSchema(dialect(url), NEXT);
  }

  private static Dialect dialect(String url) {
    return url.startsWith(Postgres.URL)
        ? new Postgres(url, 1000)
        : new Sqlite(Path.of(url.substring(Sqlite.URL.length())), 1000);
  }

  /** Uses the database as every store of a program does. */
  private static int use(String url, Migrations program) {
    try (Database database = new Database(dialect(url), program)) {
      return database.read(session -> session.query("SELECT name FROM locks", row -> row.getString(1))).orElseThrow()
          .size();
    }
  }

  @Test
  @DisplayName("An upgrade applies each missing script once; additive scripts do not raise the version")
  void upgrade() {
    assertThat(schema.missing()).isEqualTo(all());
    assertThat(schema.upgrade()).isEqualTo(all());
    assertThat(schema.missing()).isEmpty();
    assertThat(schema.upgrade()).isEmpty();
    assertThat(tables.look(APPLIED)).isEqualTo(VERSIONS);
    assertThat(tables.look(ADDED)).containsExactlyInAnyOrderElementsOf(ADDITIONS);
  }

  @Test
  @DisplayName("Additions of a newer program are ignored; a version of a newer program is refused")
  void newer() {
    schema.upgrade();
    assertThat(Database.schema(users.owner()).missing()).isEmpty();
    assertThat(use(users.app(), Migrations.ALL)).isZero();

    tables.change("INSERT INTO schema_versions VALUES (2, 'V100__incompatible.sql')");
    assertThatExceptionOfType(StorageException.class).isThrownBy(() -> use(users.owner(), Migrations.ALL))
        .withMessageEndingWith(" has schema 2; this program supports up to 1, a newer version has used it; upgrade this"
            + " program");
  }

  @Test
  @DisplayName("A user who may not create tables works on a complete schema, and changes nothing on an outdated one")
  void withoutRights() {
    for (String outdated : List.of("empty", "released")) {
      if (outdated.equals("released")) {
        Database.schema(users.owner()).upgrade();
      }
      List<String> before = tables.look(COLUMNS);
      assertThatExceptionOfType(StorageException.class).as(outdated).isThrownBy(() -> use(users.app(), NEXT))
          .withMessage("the database " + schema.database() + RUN_MIGRATE)
          .satisfies(e -> assertThat(e.publicMessage()).isEqualTo("the database" + RUN_MIGRATE));
      assertThatExceptionOfType(StorageException.class)
          .isThrownBy(() -> schema(users.app()).upgrade()).withMessageEndingWith(RUN_MIGRATE);
      Connector connector = Connector.of(dialect(users.app()), null);
      assertThat(new DatabaseExamination(connector, NEXT, true).examine().getFirst()).satisfies(finding -> {
        assertThat(finding.severity()).isEqualTo(Finding.Severity.FAIL);
        assertThat(finding.message()).contains("T4__note_of_runs.sql");
        assertThat(finding.remedy()).isEqualTo("run `tower migrate` as a user who may create tables");
      });
      assertThat(tables.look(COLUMNS)).isEqualTo(before);
    }

    schema.upgrade();

    assertThat(use(users.app(), NEXT)).isZero();
    assertThat(schema(users.app()).upgrade()).isEmpty();
  }

  @Test
  @DisplayName("A user who may create tables but does not own the existing ones leaves them to their owner")
  void otherOwner() {
    Database.schema(users.owner()).upgrade();
    tables.change("GRANT CREATE ON SCHEMA public TO tower_app");

    assertThatExceptionOfType(StorageException.class).isThrownBy(() -> use(users.app(), NEXT))
        .withMessageEndingWith(RUN_MIGRATE);
    assertThat(tables.look(OWNERS)).containsExactly("tower_owner");
  }

  @Test
  @DisplayName("The printed statements create and update what an upgrade does, for both kinds of databases")
  void printed(@TempDir Path temp) {
    List<String> files = Stream.of("printed.db", "upgraded.db").map(file -> "jdbc:sqlite:" + temp.resolve(file))
        .toList();
    PostgresServer.TwoUsers other = PostgresServer.newDatabaseOfTwoUsers();
    for (List<String> urls : List.of(List.of(users.owner(), other.owner()), files)) {
      if (!urls.equals(files)) {
        urls.forEach(url -> Database.schema(url).upgrade());
      }
      StoreSchema printed = schema(urls.getFirst());
      schema(urls.getLast()).upgrade();
      execute(urls.getFirst(), printed.statements());

      assertThat(printed.missing()).isEmpty();
      assertThat(printed.statements()).isEmpty();
      assertThat(shape(urls.getFirst())).isEqualTo(shape(urls.getLast())).isNotEmpty();
    }
  }

  private static List<String> shape(String url) {
    DirectTables database = new DirectTables(url);
    return Stream.of(url.startsWith(Postgres.URL)
        ? List.of(COLUMNS, INDEXES, APPLIED, ADDED)
        : List.of(SQLITE, APPLIED, ADDED))
        .flatMap(List::stream).flatMap(query -> database.look(query).stream()).toList();
  }

  private static void execute(String url, List<String> statements) {
    try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
