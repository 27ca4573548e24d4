package fleet.tower.lock.file;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/**
 * The journal's records of one lock name: the lock that was there last, if any, and those that it or its absence
 * replaced. A record is one JSON object; all have {@code lock} and {@code token}, the highest token at that time.
 */
final class LockHistory {
  private static final String TOKEN = "token";

  private final Set<Grant> earlier = new HashSet<>();
  private FencingToken highest = FencingToken.NONE;
  private boolean isKnown;
  private byte @Nullable [] last;
  private @Nullable Grant lastGrant;

  /** One grant; heartbeats do not change it. */
  private record Grant(RequestId request, Instant createdAt, FencingToken token) {
    static Grant of(Lease lease) {
      return new Grant(lease.requestId(), Timestamps.wholeSecond(lease.createdAt()), lease.token());
    }

    static Grant of(JsonObject json) {
      return new Grant(RequestId.ofHolder(json.text("request_id").orElseThrow()),
          json.text("created_at").flatMap(Timestamps::parse).orElseThrow(), LockHistory.token(json));
    }

    JsonWriter json() {
      return JsonWriter.line().put("request_id", request.value()).put("created_at", createdAt)
          .put(TOKEN, token.value());
    }
  }

  /** The record of a lock file that was put in place of another one, or of none. */
  static String put(Lease lease, FencingToken highest, byte[] file, @Nullable Lease replaced) {
    JsonWriter record = token(lease.name(), highest).put("granted", Grant.of(lease).json());
    if (replaced != null) {
      record.put("replaced", Grant.of(replaced).json());
    }
    return record.put("file", new String(file, StandardCharsets.UTF_8)).end();
  }

  /** The record of a lock file that was removed; its lease is null if it could not be read or was not there. */
  static String removed(LeaseName name, FencingToken highest, @Nullable Lease removed) {
    return token(name, highest).put("removed", removed == null ? null : Grant.of(removed).json()).end();
  }

  /** The record of the highest token of a name whose file is not ours. */
  static String counted(LeaseName name, FencingToken highest) {
    return token(name, highest).end();
  }

  private static JsonWriter token(LeaseName name, FencingToken highest) {
    return JsonWriter.line().put("lock", name.value()).put(TOKEN, highest.value());
  }

  /** Adds records to the histories of their names; records of other parts are left out. */
  static void add(Map<LeaseName, LockHistory> histories, List<String> records) {
    for (String record : records) {
      try {
        JsonObject json = JsonReader.readObject(record);
        json.text("lock").ifPresent(
            name -> histories.computeIfAbsent(new LeaseName(name), _ -> new LockHistory()).add(json));
      } catch (JsonException | InvalidValue | NoSuchElementException e) {
        throw new StorageException("the lock journal has a record that this version cannot read: " + record
            + "; use the version that wrote it", e);
      }
    }
  }

  private void add(JsonObject record) {
    highest = highest.max(token(record));
    record.object("replaced").map(Grant::of).ifPresent(earlier::add);
    record.object("removed").map(Grant::of).ifPresent(earlier::add);
    if (record.get("granted") != null || record.get("removed") != null) {
      Grant before = lastGrant;
      if (before != null) {
        earlier.add(before);
      }
      isKnown = true;
      lastGrant = record.object("granted").map(Grant::of).orElse(null);
      last = record.text("file").map(file -> file.getBytes(StandardCharsets.UTF_8)).orElse(null);
    }
  }

  private static FencingToken token(JsonObject json) {
    return new FencingToken(json.integer(TOKEN).orElseThrow());
  }

  /** The highest token that was granted. */
  FencingToken highest() {
    return highest;
  }

  /** The file that was there last; null if none was, or if only other programs' were. */
  byte @Nullable [] last() {
    return last;
  }

  /** Whether content is {@link #last} itself, and not that of an equal file that was found. */
  @SuppressWarnings("ReferenceEquality")
  boolean isLast(byte[] content) {
    return content == last;
  }

  /** The token of {@link #last}. */
  FencingToken lastToken() {
    return lastGrant == null ? FencingToken.NONE : lastGrant.token();
  }

  /**
   * Whether a file must give way to {@link #last}: a lock that is over, or a torn file in place of one of ours.
   *
   * @param wasOnDisk whether the last grant's file had reached the disk
   */
  boolean isOver(LeaseName name, byte[] file, boolean wasOnDisk) {
    try {
      return isOver(LockRecord.parse(name, file).lease(), wasOnDisk);
    } catch (LockRecord.NotALease e) {
      return isKnown && LockRecord.isTorn(file);
    }
  }

  /**
   * Whether a lock was replaced or removed later, as far as recorded. A lock of another program has no token; if it is
   * older than the last grant, its removal was lost, or its clock is behind and it replaced a file that was on the disk.
   */
  private boolean isOver(Lease lease, boolean wasOnDisk) {
    Grant grant = Grant.of(lease);
    Grant latest = lastGrant;
    if (grant.equals(latest)) {
      return false;
    }
    return earlier.contains(grant) || (grant.token().isNone()
        ? latest != null && !wasOnDisk && !grant.createdAt().isAfter(latest.createdAt())
        : grant.token().compareTo(highest) <= 0);
  }
}
