package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.util.List;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.check.Finding;

/** Whether a database can be opened, is whole, is of a version that is known here, and can be written now. */
final class DatabaseExamination implements Examination {
  private static final String CHECK = "database";

  private final Dialect dialect;
  private final Migrations migrations;
  private final boolean isThorough;

  DatabaseExamination(Dialect dialect, Migrations migrations, boolean isThorough) {
    this.dialect = dialect;
    this.migrations = migrations;
    this.isThorough = isThorough;
  }

  @Override
  public List<Finding> examine() {
    if (!dialect.exists()) {
      return List.of(Finding.ok(CHECK, dialect.name() + " does not exist yet; the first run makes it"));
    }
    try {
      return List.of(content(), writing());
    } catch (SQLException e) {
      return List.of(broken(dialect.explain(e)));
    } catch (StorageException e) {
      return List.of(broken(e));
    }
  }

  private Finding content() throws SQLException {
    try (Session session = dialect.open(Dialect.Purpose.READING)) {
      int version = Migrations.version(session, dialect);
      int known = migrations.scripts().size();
      if (version > known) {
        return Finding.fail(CHECK, dialect.name() + " has schema " + version + ", this program knows " + known,
            "upgrade this program: a newer one has used the database");
      }
      String damage = isThorough ? dialect.damage(session) : "";
      if (!damage.isEmpty()) {
        return Finding.fail(CHECK, dialect.name() + " is damaged: " + damage,
            "stop what uses it, then put a backup in its place or move it away");
      }
      String found = isThorough ? "whole, schema " : "schema ";
      return Finding.ok(CHECK, version == known
          ? found + version
          : found + version + "; its next use brings it to " + known);
    }
  }

  /** Begins to write and takes that back: nothing is changed. */
  private Finding writing() throws SQLException {
    try (Session session = dialect.open(Dialect.Purpose.SWIFT)) {
      session.once(dialect.beginWriting());
      Transactions.rollBack(session);
      return Finding.ok("database writing", "nobody is in the way");
    } catch (SQLException e) {
      if (dialect.isBusy(e)) {
        return Finding.fail("database writing", "another process has been writing to " + dialect.name()
            + " for longer than any of ours does", "see who has it open: fuser " + dialect.name());
      }
      throw e;
    }
  }

  /** What is wrong stands before the semicolon, what to do behind it. */
  private static Finding broken(StorageException e) {
    String message = String.valueOf(e.getMessage());
    int semicolon = message.lastIndexOf("; ");
    return semicolon < 0
        ? Finding.fail(CHECK, message, "look at the file, its disk, and who uses it")
        : Finding.fail(CHECK, message.substring(0, semicolon), message.substring(semicolon + 2));
  }
}
