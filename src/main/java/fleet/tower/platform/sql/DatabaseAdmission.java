package fleet.tower.platform.sql;

import java.sql.SQLException;

/** Decides whether this program may use a database. Both calls throw {@link fleet.tower.platform.StorageException}. */
public interface DatabaseAdmission {
  /** Admits every program. */
  DatabaseAdmission OPEN = new DatabaseAdmission() {
    @Override
    public void open(Session session, boolean isMigrated) {}

    @Override
    public void write() {}
  };

  /**
   * Called when the database is opened, once before anything of it is changed and once with its complete schema.
   *
   * @param isMigrated whether the schema is complete; otherwise, tables may be missing
   */
  void open(Session session, boolean isMigrated) throws SQLException;

  /** Called before the first write, when the database is open. */
  void write();
}
