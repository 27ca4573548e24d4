package fleet.tower.lock.file;

import java.nio.charset.StandardCharsets;
import java.time.Instant;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/** The content of a lock file: the parsed lease, and the text, of which a heartbeat changes one member. */
record LockRecord(Lease lease, JsonObject json, byte[] bytes) {
  private static final String VERSION = "v1";
  /** How much of an unknown version's name appears in a message. */
  private static final int MAX_VERSION = 32;
  private static final String HEARTBEAT = "last_heartbeat_at";
  private static final String TOKEN = Metadata.TOKEN;
  /** How a lock file of ours begins. */
  private static final String BEGINNING = "{\n  \"lock_version\": ";

  /** Thrown for content that is not a readable lease; such a file is never changed. */
  static final class NotALease extends Exception {
    private static final long serialVersionUID = 1;
    private final transient LeaseState state;

    private NotALease(LeaseState state) {
      super("not a lease", null, false, false);
      this.state = state;
    }

    private NotALease(String problem) {
      this(new LeaseState.Corrupt(problem));
    }

    /** The state of the lock instead. */
    LeaseState state() {
      return state;
    }
  }

  /** Reads a lock file, trusting nothing in it. The version comes first: a newer file may have any other shape. */
  static LockRecord parse(LeaseName name, byte[] content) throws NotALease {
    JsonObject json;
    try {
      json = JsonReader.readObject(content);
    } catch (JsonException e) {
      throw new NotALease("not a JSON object: " + e.getMessage());
    }
    String version = text(json, "lock_version");
    if (!version.equals(VERSION)) {
      throw new NotALease(new LeaseState.Unsupported(
          version.length() <= MAX_VERSION ? version : version.substring(0, MAX_VERSION) + "…"));
    }
    if (!text(json, "lock_name").equals(name.value())) {
      throw new NotALease("lock_name does not match the file name");
    }
    try {
      return new LockRecord(lease(name, json), json, content);
    } catch (InvalidValue e) {
      throw new NotALease(e.problem());
    }
  }

  /**
   * Whether content is what a power cut may leave of a new lock file, which is not synced: nothing, zeros, or its
   * first bytes. A lock file of another program in a different format does not count as torn.
   */
  static boolean isTorn(byte[] content) {
    String text = new String(content, StandardCharsets.UTF_8);
    if (text.indexOf('\0') >= 0) {
      return true;
    }
    try {
      JsonReader.readObject(text);
      return false;
    } catch (JsonException incomplete) {
      return text.startsWith(BEGINNING) || BEGINNING.startsWith(text);
    }
  }

  /** The complete content with a new heartbeat. */
  byte[] withHeartbeat(Instant heartbeat) {
    return utf8(json.withMember(HEARTBEAT, JsonWriter.quote(Timestamps.format(heartbeat))));
  }

  private static Lease lease(LeaseName name, JsonObject json) throws NotALease {
    Holder holder = new Holder(text(json, "actor"), text(json, "intent"), text(json, "intent_version"),
        text(json, "host_id"), integer(json, "pid"), false);
    Instant createdAt = moment(json, "created_at");
    Instant heartbeat = moment(json, HEARTBEAT);
    Ttl ttl = Ttl.ofHolder(integer(json, "ttl_seconds"));
    return new Lease(name, RequestId.ofHolder(text(json, "request_id")), token(json), holder, createdAt, heartbeat, ttl,
        metadata(json));
  }

  private static String metadata(JsonObject json) throws NotALease {
    JsonValue metadata = json.get("metadata");
    if (metadata == null || metadata instanceof JsonValue.Null) {
      return "{}";
    }
    if (metadata instanceof JsonObject object) {
      return object.raw();
    }
    throw new NotALease("metadata is not an object");
  }

  private static FencingToken token(JsonObject json) throws NotALease {
    JsonObject metadata = json.object("metadata").orElse(null);
    if (metadata == null || metadata.get(TOKEN) == null) {
      return FencingToken.NONE;
    }
    FencingToken token = new FencingToken(integer(metadata, TOKEN));
    if (!token.hasNext()) {
      throw new NotALease("fencing token " + token + " has no successor for the next holder");
    }
    return token;
  }

  private static String text(JsonObject json, String key) throws NotALease {
    return json.text(key).orElseThrow(() -> problem(json, key, "a string"));
  }

  private static long integer(JsonObject json, String key) throws NotALease {
    return json.integer(key).orElseThrow(() -> problem(json, key, "an integer that fits"));
  }

  private static Instant moment(JsonObject json, String key) throws NotALease {
    return Timestamps.parseWithOffset(text(json, key))
        .orElseThrow(() -> problem(json, key, "a time like 2025-12-18T10:30:10Z"));
  }

  private static NotALease problem(JsonObject json, String key, String expected) {
    return new NotALease(key + (json.get(key) == null ? " is missing" : " is not " + expected));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
