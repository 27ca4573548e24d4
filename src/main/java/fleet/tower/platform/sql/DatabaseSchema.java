package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.platform.StoreSchema;

/** The schema of a database, on a connection of its own for each call. */
final class DatabaseSchema implements StoreSchema {
  private final Dialect dialect;
  private final Migrations migrations;

  DatabaseSchema(Dialect dialect, Migrations migrations) {
    this.dialect = dialect;
    this.migrations = migrations;
  }

  @Override
  public String database() {
    return dialect.name();
  }

  private SchemaState state() {
    if (!dialect.exists()) {
      return SchemaState.EMPTY;
    }
    try (Session session = dialect.open(Dialect.Purpose.READING)) {
      return SchemaState.read(session, dialect);
    } catch (SQLException e) {
      throw dialect.explain(e);
    }
  }

  @Override
  public List<String> missing() {
    return migrations.missing(state(), dialect);
  }

  @Override
  public List<String> upgrade() {
    dialect.create();
    try (Session session = dialect.open(Dialect.Purpose.DURABLE)) {
      dialect.initialize(session);
      List<String> applied = migrations.apply(session, dialect);
      Transactions.rollBack(session);
      return applied;
    } catch (SQLException e) {
      throw dialect.explain(e);
    }
  }

  @Override
  public List<String> statements() {
    List<String> missing = missing();
    if (missing.isEmpty()) {
      return List.of();
    }
    List<String> statements = new ArrayList<>(migrations.preparation(dialect));
    missing.forEach(script -> statements.addAll(migrations.changes(script, dialect)));
    statements.addFirst(dialect.beginWriting());
    statements.add("COMMIT");
    return statements;
  }
}
