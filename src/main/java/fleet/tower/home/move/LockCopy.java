package fleet.tower.home.move;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Age;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.MovingLocks.MovingLock;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.sql.Session;

/** Copies locks and freezes to the table of locks; their tokens continue to grow there. */
final class LockCopy {
  private static final String FIND = "SELECT request_id, token, lock_version, freeze_request_id IS NOT NULL"
      + " AND freeze_created_at + freeze_ttl_seconds >= CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp())) AS BIGINT)"
      + " FROM locks WHERE name = ?{{lock}}";
  /** Parameters: the name and the token. */
  private static final String COUNT = "INSERT INTO locks AS l (name, token, lock_version) VALUES (?, ?, 'v1')"
      + " ON CONFLICT (name) DO UPDATE SET token = GREATEST(l.token, EXCLUDED.token)";

  private final Session target;
  private final Clocks clocks;

  LockCopy(Session target, Clocks clocks) {
    this.target = target;
    this.clocks = clocks;
  }

  /** What the target knows about a name. */
  private record Known(@Nullable String holder, long token, boolean isReadable, boolean isFrozen) {}

  /** Why a lock cannot be moved into the target; empty if it can. The row stays locked until the transaction ends. */
  static Optional<String> clash(MovingLock lock, Session target) throws SQLException {
    Optional<Known> found = target.first(FIND, row -> new Known(row.getString(1), row.getLong(2),
        "v1".equals(row.getString(3)), row.getBoolean(4)), lock.name().value());
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Known there = found.get();
    boolean isHeld = lock.state() instanceof LeaseState.Held;
    boolean isFrozen = lock.freeze() instanceof FreezeState.Frozen;
    String name = "lock " + lock.name() + ": ";
    if (!there.isReadable()) {
      return Optional.of(name + "has another version in the fleet");
    }
    if (there.holder() != null && (isHeld || isFrozen || there.token() < lock.counter().value())) {
      return Optional.of(name + "held in the fleet by request " + there.holder());
    }
    if (there.isFrozen() && (isHeld || isFrozen)) {
      return Optional.of(name + "frozen in the fleet");
    }
    return isHeld && there.token() >= lock.counter().value()
        ? Optional.of(name + "held here with token " + lock.counter() + ", but the fleet has issued " + there.token())
        : Optional.empty();
  }

  void copy(MovingLock lock) throws SQLException {
    Optional<String> clash = clash(lock, target);
    if (clash.isPresent()) {
      throw new StorageException(clash.get() + "; nothing was moved");
    }
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    if (lock.state() instanceof LeaseState.Held(Lease lease, Age age)) {
      hold(row, lease, age);
    }
    if (lock.freeze() instanceof FreezeState.Frozen(Freeze freeze)) {
      freeze(row, freeze);
    }
    target.update(COUNT, lock.name().value(), lock.counter().value());
    if (!row.isEmpty()) {
      List<@Nullable Object> values = new ArrayList<>(row.values());
      values.add(lock.name().value());
      target.update("UPDATE locks SET " + String.join(" = ?, ", row.keySet()) + " = ? WHERE name = ?",
          values.toArray());
    }
  }

  private void hold(Map<String, @Nullable Object> row, Lease lease, Age age) {
    row.put("request_id", lease.requestId().value());
    row.put("actor", lease.holder().actor());
    row.put("intent", lease.holder().intent());
    row.put("intent_version", lease.holder().intentVersion());
    row.put("host_id", lease.holder().hostId());
    row.put("pid", lease.holder().pid());
    row.put("created_at", lease.createdAt().getEpochSecond());
    row.put("last_heartbeat_at", heartbeat(lease, age));
    row.put("ttl_seconds", lease.ttl().seconds());
    row.put("metadata", withoutToken(lease.metadata()));
  }

  /**
   * The heartbeat by the server's clock. The age and the server's clock are both rounded down, so one second is added,
   * so that no active lease ends early.
   */
  private long heartbeat(Lease lease, Age age) {
    long seconds = age.exceeds(lease.ttl()) || age.bootMillis().isEmpty()
        ? age.seconds()
        : Math.min(age.seconds(), age.bootMillis().getAsLong() / 1000);
    long grace = age.exceeds(lease.ttl()) ? 0 : 1;
    return Math.min(clocks.serverSeconds(), clocks.serverSeconds() - seconds + grace);
  }

  private void freeze(Map<String, @Nullable Object> row, Freeze freeze) {
    row.put("freeze_request_id", freeze.requestId().value());
    row.put("freeze_actor", freeze.actor());
    row.put("freeze_on_behalf_of", freeze.onBehalfOf());
    row.put("freeze_reason", freeze.reason());
    row.put("freeze_created_at", Math.ceilDiv(clocks.fromWall(freeze.createdAt().toEpochMilli()), 1000));
    row.put("freeze_ttl_seconds", freeze.ttl().seconds());
  }

  /** The holder's metadata as the table has it: without the token, which is a column, and the mark of a run first. */
  private static String withoutToken(String metadata) {
    try {
      JsonObject json = JsonReader.readObject(metadata);
      JsonWriter rest = JsonWriter.line();
      json.members().entrySet().stream().filter(member -> !member.getKey().equals(Metadata.TOKEN))
          .sorted(Comparator.comparing(member -> !member.getKey().equals(Lease.HELD_FOR)))
          .forEach(member -> rest.raw(member.getKey(), json.raw(member.getValue())));
      return rest.end();
    } catch (JsonException e) {
      throw new IllegalStateException("a lock was read with unreadable metadata", e);
    }
  }
}
