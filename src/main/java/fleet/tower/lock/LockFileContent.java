package fleet.tower.lock;

import java.nio.charset.StandardCharsets;

import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.platform.json.JsonWriter;

/**
 * The content of a lock file, as the specification defines it. A store without files uses it too: the hash of a
 * removed lock is the hash of such a file.
 */
public final class LockFileContent {
  private LockFileContent() {}

  /** The bytes of the file of a lock. */
  public static byte[] of(Lease lease) {
    Holder holder = lease.holder();
    return (JsonWriter.block().put("lock_version", "v1").put("lock_name", lease.name().value())
        .put("request_id", lease.requestId().value()).put("actor", holder.actor()).put("intent", holder.intent())
        .put("intent_version", holder.intentVersion()).put("host_id", holder.hostId()).put("pid", holder.pid())
        .put("created_at", lease.createdAt()).put("last_heartbeat_at", lease.lastHeartbeatAt())
        .put("ttl_seconds", lease.ttl().seconds()).raw("metadata", lease.metadata()).end() + "\n")
        .getBytes(StandardCharsets.UTF_8);
  }
}
