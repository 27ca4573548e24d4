package fleet.tower.run.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.run.members.Member;
import fleet.tower.run.members.MemberProfile;
import fleet.tower.run.members.MemberStore;

/**
 * Members as rows that are alive until a moment of the server's clock. Members dead for an hour are removed by the next
 * one to enter, except the last one of a host that holds a lock.
 */
final class SqlMemberStore implements MemberStore {
  private static final String NOW = "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)";
  /** The topic of changed intents or labels; its subject is the name of the host. */
  private static final String TOPIC = "intents";
  /** The labels of a process that publishes nothing. */
  private static final String NO_LABELS = "[]";
  private static final long KEPT_MILLIS = Duration.ofHours(1).toMillis();
  private static final String COLUMNS = "id, host_id, machine, home, pid, kind, version, entered_at, seen_at, alive_until > "
      + NOW + " AS is_alive, labels, intents, policy";
  private static final String SWEEP = "DELETE FROM executors e WHERE alive_until < " + NOW + " - ?"
      + " AND (EXISTS (SELECT 1 FROM executors later WHERE later.host_id = e.host_id"
      + " AND later.alive_until > e.alive_until) OR NOT EXISTS (SELECT 1 FROM locks WHERE locks.host_id = e.host_id"
      + " AND locks.request_id IS NOT NULL))";

  /** Services that enter at once under one name do so one after the other, so that the second sees the first. */
  private static final String ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtextextended('tower executors ' || ?, 0))";
  private static final String SAME_NAME = "SELECT " + COLUMNS + " FROM executors WHERE host_id = ? AND kind = 'service'"
      + " AND machine <> ? AND alive_until > " + NOW + " ORDER BY entered_at LIMIT 1";
  private static final String ENTER = "INSERT INTO executors (id, host_id, machine, home, pid, kind, version, entered_at, seen_at,"
      + " alive_until, labels, intents, policy) VALUES (:id, :host_id, :machine, :home, :pid, :kind, :version, " + NOW
      + ", "
      + NOW
      + ", " + NOW + " + :ttl_millis, :labels, :intents, :policy)"
      + " ON CONFLICT (id) DO UPDATE SET seen_at = EXCLUDED.seen_at, alive_until = EXCLUDED.alive_until,"
      + " labels = EXCLUDED.labels, intents = EXCLUDED.intents, policy = EXCLUDED.policy";
  private static final String PUBLISHED = "SELECT 1 FROM executors WHERE id = ? AND labels = ? AND intents = ?"
      + " AND policy IS NOT DISTINCT FROM ?";
  private static final String LEAVE = "DELETE FROM executors WHERE id = ?";
  private static final String LIST = "SELECT " + COLUMNS + " FROM executors ORDER BY host_id, entered_at, id";
  private static final String FIND = "SELECT " + COLUMNS + " FROM executors WHERE id = ?";

  private final Database database;

  SqlMemberStore(Database database) {
    this.database = database;
  }

  @Override
  public Optional<Entry> enter(Member member, @Nullable MemberProfile profile, Duration ttl) {
    String labels = profile == null ? NO_LABELS : ProfileJson.labels(profile);
    String intents = profile == null ? null : ProfileJson.intents(profile);
    String policy = profile == null ? null : profile.policy();
    return database.writeSwiftly(session -> {
      if (member.kind() == Member.Kind.SERVICE) {
        session.query(ONE_AT_A_TIME, _ -> 0, member.hostId());
        Optional<Entry> other = session.first(SAME_NAME, SqlMemberStore::entry, member.hostId(), member.machine());
        if (other.isPresent()) {
          return other;
        }
      }
      session.update(SWEEP, KEPT_MILLIS);
      boolean isNews = profile != null
          && session.first(PUBLISHED, _ -> true, member.id(), labels, intents, policy).isEmpty();
      session.update(ENTER, new NamedValues().put("id", member.id()).put("host_id", member.hostId())
          .put("machine", member.machine()).put("home", member.home()).put("pid", member.pid())
          .put("kind", member.kind().toString()).put("version", member.version()).put("ttl_millis", ttl.toMillis())
          .put("labels", labels).put("intents", intents).put("policy", policy));
      if (isNews) {
        session.announce(TOPIC, member.hostId());
      }
      return Optional.<Entry>empty();
    });
  }

  @Override
  public void leave(String id) {
    database.writeSwiftly(session -> session.update(LEAVE, id));
  }

  @Override
  public List<Entry> list() {
    return database.read(session -> session.query(LIST, SqlMemberStore::entry)).orElse(List.of());
  }

  @Override
  public Optional<Entry> find(String id) {
    return database.read(session -> session.first(FIND, SqlMemberStore::entry, id)).flatMap(found -> found);
  }

  private static Entry entry(ResultSet row) throws SQLException {
    Member member = new Member(row.getString(1), row.getString(2), row.getString(3), row.getString(4), row.getLong(5),
        Member.Kind.valueOf(row.getString(6).toUpperCase(Locale.ROOT)), row.getString(7));
    return new Entry(member, Instant.ofEpochMilli(row.getLong(8)), Instant.ofEpochMilli(row.getLong(9)),
        row.getBoolean(10), ProfileJson.read(row.getString(11), row.getString(12), row.getString(13)));
  }

  @Override
  public void close() {
    database.close();
  }
}
