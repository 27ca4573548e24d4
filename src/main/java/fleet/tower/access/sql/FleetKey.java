package fleet.tower.access.sql;

import java.sql.SQLException;
import java.util.List;

import fleet.tower.access.NewTokens;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Session;

/** The key of a fleet, in the one row of a table; the first host that needs it creates it. */
record FleetKey(Database database, NewTokens fresh) {
  private static final String READ = "SELECT key_text FROM plan_keys";
  private static final String INSERT = "INSERT INTO plan_keys (is_only, key_text) VALUES (TRUE, ?)"
      + " ON CONFLICT DO NOTHING";

  String read() {
    List<String> stored = database.read(FleetKey::stored).orElse(List.of());
    if (!stored.isEmpty()) {
      return stored.getFirst();
    }
    String created = fresh.next();
    return database.writeDurably(session -> {
      session.update(INSERT, created);
      return stored(session).getFirst();
    });
  }

  private static List<String> stored(Session session) throws SQLException {
    return session.query(READ, row -> row.getString(1));
  }
}
