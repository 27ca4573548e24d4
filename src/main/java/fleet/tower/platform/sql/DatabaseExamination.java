package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.util.List;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;

/** Checks that a database can be opened, is intact, has a known version and can be written. */
final class DatabaseExamination implements Examination {
  private static final String CHECK = "database";

  private final Connector connector;
  private final Dialect dialect;
  private final Migrations migrations;
  private final boolean isThorough;

  DatabaseExamination(Connector connector, Migrations migrations, boolean isThorough) {
    this.connector = connector;
    this.dialect = connector.dialect();
    this.migrations = migrations;
    this.isThorough = isThorough;
  }

  @Override
  public List<Finding> examine() {
    if (!dialect.exists()) {
      return List.of(Finding.ok(CHECK, dialect.name() + " does not exist yet; the first run creates it"));
    }
    try {
      return List.of(content(), writing());
    } catch (SQLException e) {
      return List.of(failure(connector.explain(e)));
    } catch (StorageException e) {
      return List.of(failure(e));
    }
  }

  private Finding content() throws SQLException {
    try (Session session = connector.open(Dialect.Purpose.READING)) {
      SchemaState state = SchemaState.read(session, dialect);
      int known = migrations.scripts().size();
      if (state.version() > known) {
        return Finding.fail(CHECK, dialect.name() + " has schema " + state.version() + "; this program supports up to "
            + known, "upgrade this program: a newer version has used the database");
      }
      String damage = isThorough ? dialect.damage(session) : "";
      if (!damage.isEmpty()) {
        return Finding.fail(CHECK, dialect.name() + " is damaged: " + damage,
            "stop the programs that use it, then restore a backup or move the file away");
      }
      List<String> missing = migrations.missing(state, dialect);
      if (!missing.isEmpty() && !dialect.mayChangeSchema(session)) {
        return Finding.fail(CHECK, dialect.name() + " lacks " + String.join(", ", missing)
            + ", or hides it from this user", "run `tower migrate` as a user who may create tables");
      }
      String found = (isThorough ? "intact, " : "") + "schema " + state.version() + " with " + state.additions().size()
          + " additions";
      return Finding.ok(CHECK, missing.isEmpty()
          ? found
          : found + "; its next use applies " + String.join(", ", missing));
    }
  }

  /** Begins a write transaction and rolls it back. */
  private Finding writing() throws SQLException {
    try (Session session = connector.open(Dialect.Purpose.SWIFT)) {
      session.execute(dialect.beginWriting());
      Transactions.rollBack(session);
      return Finding.ok("database writing", "no other process blocks it");
    } catch (SQLException e) {
      if (dialect.isBusy(e)) {
        return Finding.fail("database writing", "another process has been writing to " + dialect.name()
            + " for longer than Tower ever does", "find out which process has it open: fuser " + dialect.name());
      }
      throw e;
    }
  }

  /** The message contains the problem before its last semicolon and the remedy after it. */
  private static Finding failure(StorageException e) {
    String message = String.valueOf(e.getMessage());
    int semicolon = message.lastIndexOf("; ");
    return semicolon < 0
        ? Finding.fail(CHECK, message, "check the file, its disk and the processes that use it")
        : Finding.fail(CHECK, message.substring(0, semicolon), message.substring(semicolon + 2));
  }
}
