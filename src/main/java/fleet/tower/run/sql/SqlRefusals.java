package fleet.tower.run.sql;

import java.time.Duration;
import java.time.Instant;

import fleet.tower.platform.sql.Database;
import fleet.tower.policy.RefusalStore;

/** Refused requests as rows, until they no longer count. */
record SqlRefusals(Database database) implements RefusalStore {
  /** One transaction of a fleet at a time; a database of one host has one writer. */
  private static final String ALONE = "SELECT pg_advisory_xact_lock(hashtextextended('tower refusals', 0))";
  private static final String TRIM = "DELETE FROM refusals WHERE until <= ?";
  private static final String ADD = "INSERT INTO refusals (rule, actor, until) VALUES (?, ?, ?)";
  private static final String COUNT = "SELECT COUNT(*) FROM refusals WHERE rule = ? AND actor = ?";
  private static final String FORGET = "DELETE FROM refusals WHERE rule = ? AND actor = ?";

  @Override
  public int add(String rule, String actor, Instant now, Duration within) {
    String name = SqlRunStore.escaped(actor);
    return database.writeSwiftly(session -> {
      if (!database.isOfOneHost()) {
        session.query(ALONE, row -> true);
      }
      session.update(TRIM, now.toEpochMilli());
      session.update(ADD, rule, name, now.plus(within).toEpochMilli());
      return session.first(COUNT, row -> row.getInt(1), rule, name).orElseThrow();
    });
  }

  @Override
  public void forget(String rule, String actor) {
    database.writeSwiftly(session -> session.update(FORGET, rule, SqlRunStore.escaped(actor)));
  }
}
