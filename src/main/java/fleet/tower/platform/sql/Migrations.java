package fleet.tower.platform.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.platform.StorageException;

/** The scripts that create or upgrade the schema. Each is applied once, by the first process that needs it. */
record Migrations(List<String> scripts) {
  /** Version n is the n-th script; a released script is never changed or removed. */
  static final Migrations ALL = new Migrations(
      List.of("V1__runs.sql", "V2__tasks.sql", "V3__mailboxes.sql", "V4__locks.sql", "V5__executors.sql",
          "V6__audit.sql", "V7__locks_without_checks.sql", "V8__freezes_on_behalf.sql", "V9__locks_of_runs.sql",
          "V10__waiting_requests.sql", "V11__run_output.sql", "V12__run_requests.sql", "V13__tokens.sql",
          "V14__hosts_that_agree.sql", "V16__executors_of_waiters.sql", "V17__moved_homes.sql"));

  /** Marks a statement that applies only to a database used by many hosts. */
  private static final String FLEET_ONLY = "{{fleet}}";

  private static final String VERSION = "SELECT MAX(version) FROM schema_versions";

  Migrations {
    scripts = List.copyOf(scripts);
  }

  /** Applies the missing scripts; takes one query if there are none. */
  void apply(Session session, Dialect dialect) throws SQLException {
    if (!isUpToDate(version(session, dialect), dialect)) {
      session.update(dialect.beginWriting());
      try {
        applyMissing(session, dialect);
        session.update("COMMIT");
      } catch (SQLException | RuntimeException e) {
        Transactions.rollBack(session);
        throw e;
      }
    }
  }

  /** Checks the version again, because another process may have upgraded the schema meanwhile. */
  private void applyMissing(Session session, Dialect dialect) throws SQLException {
    session.execute(dialect.lockSchema());
    session.execute("CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY, script TEXT NOT NULL)");
    int version = version(session, dialect);
    if (isUpToDate(version, dialect)) {
      return;
    }
    for (int next = version + 1; next <= scripts.size(); next++) {
      String script = scripts.get(next - 1);
      for (String statement : statements(script, dialect)) {
        session.execute(statement);
      }
      session.update("INSERT INTO schema_versions (version, script) VALUES (?, ?)", next, script);
    }
  }

  private boolean isUpToDate(int version, Dialect dialect) {
    if (version > scripts.size()) {
      String newer = " has schema " + version + "; this program supports up to " + scripts.size()
          + ", a newer version has used it; upgrade this program";
      throw new StorageException("the database " + dialect.name() + newer, "the database" + newer, null);
    }
    return version == scripts.size();
  }

  /** The schema version of a database; 0 if it has no schema. */
  static int version(Session session, Dialect dialect) throws SQLException {
    try {
      return session.query(VERSION, row -> row.getInt(1)).getFirst();
    } catch (SQLException e) {
      if (dialect.isMissingTable(e)) {
        Transactions.rollBack(session);
        return 0;
      }
      throw e;
    }
  }

  /** The statements of a script for one kind of database. */
  static List<String> statements(String script, Dialect dialect) {
    List<String> statements = new ArrayList<>();
    for (String statement : text(script).replaceAll("(?m)^--.*$", "").split(";", -1)) {
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
