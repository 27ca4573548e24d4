package fleet.tower.home.move;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;

/**
 * Where the locks of a home are, as its file {@code state/store} keeps it. The first program that changes anything
 * writes it; later only a move changes it.
 *
 * @param move the move of the home; null if there was none, or if it was undone
 */
public record StoreMark(Store store, @Nullable MoveMark move) {
  private static final String LOCKS = "locks";
  private static final String DATABASE_ID = "database_id";
  private static final String DATABASE = "database";
  private static final String FILES = "files";

  /**
   * A store of locks, runs, tasks and mailboxes.
   *
   * @param hasSharedLocks whether the locks are in the database of a fleet; otherwise they are in the home's files
   * @param databaseId the identity of the fleet's database; empty if there is none, or if it is not known yet
   * @param database the name of that database; empty if there is none
   */
  public record Store(boolean hasSharedLocks, String databaseId, String database) {
    /** The files of the home, and its SQLite database. */
    public static final Store OF_HOME = new Store(false, "", "");

    /** Whether the database is that of a fleet. */
    public boolean isFleet() {
      return !database.isEmpty();
    }

    /** Where the locks are, for people. */
    public String place() {
      if (hasSharedLocks) {
        return database;
      }
      return isFleet() ? "its files, beside the database " + database : "its files";
    }

    /** Whether another store is the same, as far as both have an identity. */
    public boolean matches(Store other) {
      boolean isSameDatabase = databaseId.isEmpty() || other.databaseId.isEmpty()
          || databaseId.equals(other.databaseId);
      return hasSharedLocks == other.hasSharedLocks && isFleet() == other.isFleet() && isSameDatabase;
    }
  }

  /** Reads the mark's file; empty if it is damaged. */
  static Optional<StoreMark> parse(byte[] content) {
    try {
      JsonObject json = JsonReader.readObject(content);
      Optional<MoveMark> move = MoveMark.parse(json);
      boolean isMoving = json.text(MoveMark.ID).isPresent();
      return json.text(LOCKS).filter(_ -> move.isPresent() == isMoving)
          .map(locks -> new StoreMark(new Store(locks.equals(DATABASE), json.text(DATABASE_ID).orElse(""),
              json.text(DATABASE).orElse("")), move.orElse(null)));
    } catch (JsonException damaged) {
      return Optional.empty();
    }
  }

  /** The mark's file; other programs show its message. */
  String json() {
    JsonWriter json = JsonWriter.block().put(LOCKS, store.hasSharedLocks() ? DATABASE : FILES);
    if (store.isFleet()) {
      json.put(DATABASE_ID, store.databaseId()).put(DATABASE, store.database());
    }
    return (move == null ? json : move.describe(json)).end() + "\n";
  }
}
