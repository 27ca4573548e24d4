package fleet.tower.platform.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.platform.StorageException;

/** The scripts that make a database what this program needs, one after the other, each once, whoever comes first. */
record Migrations(List<String> scripts) {
  /** Version n is the n-th; none is ever changed or taken away. */
  static final Migrations ALL = new Migrations(
      List.of("V1__runs.sql", "V2__tasks.sql", "V3__mailboxes.sql", "V4__locks.sql", "V5__executors.sql",
          "V6__audit.sql", "V7__locks_without_checks.sql", "V8__freezes_on_behalf.sql"));

  /** The mark of a statement that is for a database of many hosts alone. */
  private static final String OF_FLEET = "{{fleet}}";

  private static final String VERSION = "SELECT MAX(version) FROM schema_versions";

  Migrations {
    scripts = List.copyOf(scripts);
  }

  /** One query where nothing is to do. */
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

  /** Looks again, because another process may have been faster. */
  private void applyMissing(Session session, Dialect dialect) throws SQLException {
    session.once(dialect.claimTables());
    session.once("CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY, script TEXT NOT NULL)");
    int version = version(session, dialect);
    if (isUpToDate(version, dialect)) {
      return;
    }
    for (int next = version + 1; next <= scripts.size(); next++) {
      String script = scripts.get(next - 1);
      for (String statement : statements(script, dialect)) {
        session.once(statement);
      }
      session.update("INSERT INTO schema_versions (version, script) VALUES (?, ?)", next, script);
    }
  }

  private boolean isUpToDate(int version, Dialect dialect) {
    if (version > scripts.size()) {
      String newer = " has schema " + version + ", this program knows " + scripts.size()
          + ": a newer one has used it; upgrade this program";
      throw new StorageException("the database " + dialect.name() + newer, "the database" + newer, null);
    }
    return version == scripts.size();
  }

  /** The version that a database has; 0 where it has none. */
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

  /** What a script says to one kind of database. */
  static List<String> statements(String script, Dialect dialect) {
    List<String> statements = new ArrayList<>();
    for (String statement : text(script).replaceAll("(?m)^--.*$", "").split(";", -1)) {
      boolean isOfFleet = statement.contains(OF_FLEET);
      if (!statement.isBlank() && !(isOfFleet && dialect.isOfOneHost())) {
        statements.add(dialect.translate(statement.replace(OF_FLEET, "")).strip());
      }
    }
    return statements;
  }

  private static String text(String script) {
    try (InputStream in = Migrations.class.getResourceAsStream("/db/migration/" + script)) {
      if (in == null) {
        throw new IllegalStateException("no migration " + script + " in this program");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
