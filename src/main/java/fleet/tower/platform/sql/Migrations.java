package fleet.tower.platform.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import fleet.tower.platform.StorageException;

/**
 * The scripts that create or upgrade the schema. Each is applied once, by the first process that needs it and may.
 *
 * <p>A program refuses a database with a version that it does not know. An additive script raises no version, and
 * programs that do not know it ignore it, so that neighbouring releases share a database.
 *
 * @param scripts the scripts of which the n-th raises the version to n; a released script is never changed or removed
 *
 * @param additions additive scripts, applied after the others: new tables, and columns that old statements may omit
 */
record Migrations(List<String> scripts, List<String> additions) {
  static final Migrations ALL = new Migrations(List.of("V1__tables.sql"), List.of());

  /** Marks a statement that applies only to a database used by many hosts. */
  private static final String FLEET_ONLY = "{{fleet}}";

  /** The tables that record which scripts were applied. */
  static final List<String> RECORDS = List.of(
      "CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY, script TEXT NOT NULL)",
      "CREATE TABLE IF NOT EXISTS schema_additions (script VARCHAR(128) PRIMARY KEY, applied_at BIGINT NOT NULL)");

  Migrations {
    scripts = List.copyOf(scripts);
    additions = List.copyOf(additions);
  }

  /** Scripts of which each raises the version. */
  Migrations(List<String> scripts) {
    this(scripts, List.of());
  }

  /** Applies the missing scripts and returns them; takes one query if there are none. */
  List<String> apply(Session session, Dialect dialect) throws SQLException {
    if (missing(SchemaState.read(session, dialect), dialect).isEmpty()) {
      return List.of();
    }
    if (!dialect.mayChangeSchema(session)) {
      String problem = " lacks tables or columns that this program needs, or hides them from this user; run `tower"
          + " migrate` as a user who may create tables";
      throw new StorageException("the database " + dialect.name() + problem, "the database" + problem, null);
    }
    session.update(dialect.beginWriting());
    try {
      List<String> applied = applyMissing(session, dialect);
      session.update("COMMIT");
      return applied;
    } catch (SQLException | RuntimeException e) {
      Transactions.rollBack(session);
      throw e;
    }
  }

  /** Reads the state again, because another process may have upgraded the schema meanwhile. */
  private List<String> applyMissing(Session session, Dialect dialect) throws SQLException {
    for (String statement : preparation(dialect)) {
      session.execute(statement);
    }
    List<String> missing = missing(SchemaState.read(session, dialect), dialect);
    for (String script : missing) {
      for (String statement : changes(script, dialect)) {
        session.execute(statement);
      }
    }
    return missing;
  }

  /** The statements before those of the missing scripts. */
  List<String> preparation(Dialect dialect) {
    return Stream.concat(Stream.of(dialect.lockSchema()), RECORDS.stream()).toList();
  }

  /** The statements that apply a missing script and record it. */
  List<String> changes(String script, Dialect dialect) {
    List<String> changes = new ArrayList<>(statements(script, dialect));
    changes.add(additions.contains(script)
        ? dialect.translate("INSERT INTO schema_additions (script, applied_at) VALUES ('" + script + "', {{now}})")
        : "INSERT INTO schema_versions (version, script) VALUES (" + (scripts.indexOf(script) + 1) + ", '" + script
            + "')");
    return changes;
  }

  /** The scripts to apply to a database, in their order. */
  List<String> missing(SchemaState state, Dialect dialect) {
    if (state.version() > scripts.size()) {
      String newer = " has schema " + state.version() + "; this program supports up to " + scripts.size()
          + ", a newer version has used it; upgrade this program";
      throw new StorageException("the database " + dialect.name() + newer, "the database" + newer, null);
    }
    return Stream.concat(scripts.stream().skip(state.version()),
        additions.stream().filter(script -> !state.additions().contains(script))).toList();
  }

  /** The statements of a script for one kind of database. Each ends with a semicolon at the end of a line. */
  static List<String> statements(String script, Dialect dialect) {
    List<String> statements = new ArrayList<>();
    for (String statement : text(script).replaceAll("(?m)^ *--.*$", "").split(";\\s*(?=\n|$)", -1)) {
      boolean isFleetOnly = statement.contains(FLEET_ONLY);
      if (!statement.isBlank() && !(isFleetOnly && dialect.isOfOneHost())) {
        statements.add(dialect.translate(statement.replace(FLEET_ONLY, "")).strip());
      }
    }
    return statements;
  }

  private static String text(String script) {
    try (InputStream in = Migrations.class.getResourceAsStream("/db/migration/" + script)) {
      if (in == null) {
        throw new IllegalStateException("the program lacks the migration " + script);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
