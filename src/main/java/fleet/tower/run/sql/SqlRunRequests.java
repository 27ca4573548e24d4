package fleet.tower.run.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Session;
import fleet.tower.run.RunChanges;
import fleet.tower.run.RunRequests;

/** Requests as rows next to those of their runs. */
final class SqlRunRequests implements RunRequests {
  /** Keeps the run from ending, and from changing its executor, until the request is recorded. */
  private static final String AT_WORK = """
      SELECT request_id FROM runs WHERE request_id = ? AND executor = ? AND finished_at IS NULL{{share}}""";
  private static final String PUT = """
      INSERT INTO run_requests (request_id, kind, executor, actor, at) VALUES (?, ?, ?, ?, {{now}}) \
      ON CONFLICT (request_id, kind) DO NOTHING""";
  private static final String OF_EXECUTOR = """
      SELECT q.request_id, q.kind FROM run_requests q JOIN runs r ON r.request_id = q.request_id \
      WHERE r.executor = ? AND r.finished_at IS NULL AND q.kind IN ('cancel', 'beat', 'abandon') \
      ORDER BY q.at, q.request_id""";
  private static final String REMOVE = "DELETE FROM run_requests WHERE request_id = ? AND kind = ?";
  private static final String REMOVE_ALL = "DELETE FROM run_requests WHERE request_id = ?";
  private static final String IS_CANCELLED = "SELECT 1 FROM run_requests WHERE request_id = ? AND kind = 'cancel'";

  private final Database database;

  SqlRunRequests(Database database) {
    this.database = database;
  }

  @Override
  public boolean put(RequestId run, String executor, Kind kind, Actor by) {
    return database.writeDurably(session -> put(session, run, executor, kind, by));
  }

  private static boolean put(Session session, RequestId run, String executor, Kind kind, Actor by)
      throws SQLException {
    String column = SqlRunStore.escaped(executor);
    if (session.first(AT_WORK, row -> true, run.value(), column).isEmpty()) {
      return false;
    }
    if (session.update(PUT, run.value(), kind.toString(), column, json(by)) == 1) {
      session.announce(SqlRunChanges.name(RunChanges.Topic.RUN_REQUESTS), column);
    }
    return true;
  }

  private static String json(Actor actor) {
    Door door = actor.door();
    return JsonWriter.line().put("name", actor.name()).put("on_behalf_of", actor.onBehalfOf())
        .put("door", door == null ? null : door.toString()).end();
  }

  @Override
  public List<Pending> of(String executor) {
    return database.read(session -> session.query(OF_EXECUTOR, row -> new Pending(new RequestId(row.getString(1)),
        Kind.valueOf(row.getString(2).toUpperCase(Locale.ROOT))), SqlRunStore.escaped(executor))).orElse(List.of());
  }

  @Override
  public void remove(Pending request) {
    database.writeSwiftly(session -> session.update(REMOVE, request.run().value(), request.kind().toString()));
  }

  /** Removes the requests of a run that ends. */
  static void removeAll(Session session, RequestId run) throws SQLException {
    session.update(REMOVE_ALL, run.value());
  }

  /** Whether a run is to be cancelled. */
  static boolean isCancelled(Session session, RequestId run) throws SQLException {
    return session.first(IS_CANCELLED, row -> true, run.value()).isPresent();
  }
}
