package fleet.tower.home.move;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import fleet.tower.home.move.HomeMove.MovingHome;
import fleet.tower.lock.MovingLocks.MovingLock;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.Session;

/**
 * The database that a home moves to. One row of {@code moved_homes} decides each move: it is written with the copy, in
 * one transaction, or with its undoing, and never changes.
 */
final class TargetDatabase implements AutoCloseable {
  private static final String MOVED = "moved";
  private static final String UNDONE = "undone";
  private static final String DECIDE = "INSERT INTO moved_homes (move_id, state, host_id, home, at, document)"
      + " VALUES (:id, :state, :host, :home, {{now}}, :document) ON CONFLICT (move_id) DO NOTHING RETURNING 1";
  private static final String DECISION = "SELECT state FROM moved_homes WHERE move_id = ?";
  private static final String DESCRIBE = "UPDATE moved_homes SET document = ? WHERE move_id = ?";

  private final Database database;
  private final MovingHome home;

  TargetDatabase(Database database, MovingHome home) {
    this.database = database;
    this.home = home;
  }

  String name() {
    return database.name();
  }

  /** The identity of the database. */
  String identity() {
    return database.read(session -> session.first(Database.IDENTITY, row -> row.getString(1))).flatMap(id -> id)
        .orElseThrow(() -> new StorageException(database.name() + " has no identity; run `tower migrate`"));
  }

  /** What clashes with a home. */
  List<String> clashes(Survey survey, HomeDatabase source) {
    return database.writeSwiftly(session -> survey.clashes(source, session));
  }

  /** Whether the copy of a move is committed. */
  boolean hasMoved(MoveMark mark) {
    return database.read(session -> hasMoved(mark, session)).orElse(false);
  }

  static boolean hasMoved(MoveMark mark, Session session) throws SQLException {
    return session.first(DECISION, row -> row.getString(1), mark.id()).filter(MOVED::equals).isPresent();
  }

  /** Decides that a move is undone; false if its copy is committed. Waits for a copy that is about to be committed. */
  boolean undo(MoveMark mark) {
    return database.writeDurably(session -> decide(session, mark, UNDONE)) || !hasMoved(mark);
  }

  /** Copies a frozen home, and decides that it is moved; false if the move was undone. */
  boolean copy(MoveMark mark, Survey survey, HomeDatabase source, Runnable onComplete) {
    return database.writeDurably(session -> {
      if (!decide(session, mark, MOVED)) {
        return false;
      }
      Clocks clocks = Clocks.read(home.time(), session);
      TableCopy tables = new TableCopy(source, session, clocks);
      Map<String, TableCopy.Copied> copied = new TreeMap<>();
      for (MovingTable table : MovingTable.values()) {
        copied.put(table.table(), tables.copy(table));
      }
      LockCopy locks = new LockCopy(session, clocks);
      for (MovingLock lock : survey.locks()) {
        locks.copy(lock);
      }
      new HaltCopy(session, clocks).copy(survey.halts());
      session.update(DESCRIBE, document(copied, survey), mark.id());
      onComplete.run();
      return true;
    });
  }

  private boolean decide(Session session, MoveMark mark, String state) throws SQLException {
    Optional<Boolean> decided = session.first(DECIDE, row -> true, new NamedValues().put("id", mark.id())
        .put("state", state).put("host", home.hostId()).put("home", home.root().toString()).put("document", "{}"));
    return decided.isPresent();
  }

  private static String document(Map<String, TableCopy.Copied> copied, Survey survey) {
    JsonWriter json = JsonWriter.line();
    copied.forEach((table, rows) -> json.put(table,
        JsonWriter.line().put("rows", rows.rows()).put("sha256", rows.digest())));
    return json.put("locks", survey.locks().size()).end();
  }

  @Override
  public void close() {
    database.close();
  }
}
