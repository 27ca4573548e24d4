package fleet.tower.access.sql;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.NewTokens;
import fleet.tower.platform.secret.HomeKey;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Session;

/** The key of a fleet, in the one row of a table; the first host that needs it creates it, and it is read once. */
final class FleetKey implements HomeKey {
  private static final String READ = "SELECT key_text FROM plan_keys";
  private static final String INSERT = "INSERT INTO plan_keys (is_only, key_text) VALUES (TRUE, ?)"
      + " ON CONFLICT DO NOTHING";

  private final Database database;
  private final NewTokens fresh;
  private byte @Nullable [] read;

  FleetKey(Database database, NewTokens fresh) {
    this.database = database;
    this.fresh = fresh;
  }

  @Override
  public synchronized byte[] bytes() {
    byte[] known = read;
    if (known == null) {
      known = load().getBytes(StandardCharsets.US_ASCII);
      read = known;
    }
    return known.clone();
  }

  private String load() {
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
