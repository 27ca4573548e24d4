package fleet.tower.lock.sql;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltDocument;
import fleet.tower.lock.HaltRequest;
import fleet.tower.lock.HaltStore;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Session;

/**
 * The halts of a fleet in PostgreSQL. A number counts their changes. A grant names the number of the halts by which it
 * was judged, and the function {@code halts_version}, which the statement of the grant calls, compares it with the
 * current one:
 *
 * <ol>
 * <li>The function takes a shared advisory lock, which lasts until the grant is committed, and reads the number as
 * committed at that moment, not as of the statement's beginning.
 * <li>A change is committed, and then takes the lock exclusively, before it returns. So each grant either was committed
 * before, or sees the change.
 * </ol>
 */
final class SqlHalts implements HaltStore {
  private static final String CLOCK = "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp())) AS BIGINT)";
  private static final String COUNT = "UPDATE halt_changes SET version = version + 1";
  private static final String FIND = "SELECT version, " + CLOCK + " AS now, h.name, h.document FROM halt_changes"
      + " LEFT JOIN halts h ON TRUE ORDER BY h.name";
  private static final String PUT = "INSERT INTO halts (name, document) VALUES (?, ?) ON CONFLICT (name)"
      + " DO UPDATE SET document = EXCLUDED.document";
  private static final String REMOVE = "DELETE FROM halts WHERE name = ?";
  /** The key is that of the function: "halt" in ASCII. */
  private static final String WAIT_FOR_GRANTS = "SELECT pg_advisory_xact_lock(1751215220)";

  /** No number of halts. */
  static final long UNKNOWN = -1;

  private final Database database;
  private volatile @Nullable Known known;

  SqlHalts(Database database) {
    this.database = database;
  }

  /** The halts in force when their changes had a number. Some may have ended by themselves since. */
  record Known(long version, InForce halts) {}

  @Override
  public InForce inForce() {
    return read().halts();
  }

  /** The halts for the judgement of a request: those that were read last, unless one of them covers it. */
  Known known(AcquireRequest request) {
    Known last = known;
    return last == null || last.halts().refusal(request) != null ? read() : last;
  }

  /** The halts of a number. */
  InForce at(long version) {
    Known last = known;
    return last != null && last.version() == version && last.halts().isEmpty() ? last.halts() : inForce();
  }

  /** Reads the halts again next time, because a grant that named their number has changed nothing. */
  void forget() {
    known = null;
  }

  private Known read() {
    Known now = database.read(SqlHalts::stored).orElseThrow().known();
    known = now;
    return now;
  }

  /**
   * What is stored.
   *
   * @param over the names of halts that have ended by themselves
   */
  private record Stored(Known known, Instant now, List<String> over) {
    @Nullable
    Halt find(String name) {
      return known.halts().halts().stream().filter(halt -> halt.name().equals(name)).findFirst().orElse(null);
    }
  }

  private record Row(long version, Instant now, @Nullable String name, String document) {}

  private static Stored stored(Session session) throws SQLException {
    List<Row> rows = session.query(FIND, row -> new Row(row.getLong("version"), LockRow.now(row),
        row.getString("name"), row.getString("document")));
    List<Halt> halts = new ArrayList<>();
    List<Unreadable> unreadable = new ArrayList<>();
    List<String> over = new ArrayList<>();
    for (Row row : rows) {
      String name = row.name();
      if (name == null) {
        continue;
      }
      try {
        Halt halt = HaltDocument.read(name, row.document().getBytes(StandardCharsets.UTF_8));
        if (halt.isOverAt(row.now())) {
          over.add(name);
        } else {
          halts.add(halt);
        }
      } catch (InvalidValue e) {
        unreadable.add(new Unreadable(name, "halts/" + name, e.problem(), row.now()));
      }
    }
    return new Stored(new Known(rows.getFirst().version(), new InForce(halts, unreadable)), rows.getFirst().now(),
        over);
  }

  @Override
  public PlaceOutcome place(HaltRequest request) {
    return changed((session, before) -> {
      Halt existing = before.find(request.name());
      if (existing != null && request.isMetBy(existing)) {
        return new PlaceOutcome.Kept(existing);
      }
      Halt halt = request.from(before.now());
      session.update(PUT, halt.name(), new String(HaltDocument.of(halt), StandardCharsets.UTF_8));
      return new PlaceOutcome.Placed(halt, existing);
    });
  }

  @Override
  public LiftOutcome lift(String name) {
    return changed((session, before) -> session.update(REMOVE, name) == 0
        ? new LiftOutcome.Absent()
        : new LiftOutcome.Lifted(before.find(name), before.now()));
  }

  private interface Change<T> {
    T make(Session session, Stored before) throws SQLException;
  }

  /** Changes the halts, one process at a time, after it has removed those that are over. */
  private <T> T changed(Change<T> change) {
    T outcome = database.writeDurably(session -> {
      session.update(COUNT);
      Stored before = stored(session);
      for (String name : before.over()) {
        session.update(REMOVE, name);
      }
      return change.make(session, before);
    });
    database.change(session -> session.first(WAIT_FOR_GRANTS, row -> true), SqlLockStore.nothingToUndo());
    return outcome;
  }
}
