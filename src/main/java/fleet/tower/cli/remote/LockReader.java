package fleet.tower.cli.remote;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

import fleet.tower.answer.LockJson;
import fleet.tower.lease.Age;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.LockView;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.Timestamps;

/** Reads the locks and halts of a service from its JSON. */
final class LockReader {
  private static final String STATE = "state";

  private LockReader() {}

  static LockView view(JsonObject json) {
    LeaseName name = new LeaseName(text(json, "lock_name"));
    String path = json.text("lock_path").orElse("");
    return new LockView(name, path, switch (text(json, STATE)) {
      case "active", "stale" -> new LeaseState.Held(lease(json), age(json));
      case "unsupported" -> new LeaseState.Unsupported(text(json, "lock_version"));
      case "free" -> new LeaseState.Vacant();
      default -> new LeaseState.Corrupt(json.text("problem").orElse(text(json, STATE)));
    }, json.object("frozen").map(LockReader::freezeState).orElseGet(FreezeState.None::new),
        json.get(LockJson.RESTORED) != null, HaltSource.InForce.NONE);
  }

  /** The service's boot clock decides whether the holder lives. */
  private static Age age(JsonObject json) {
    Duration age = Duration.ofSeconds(json.integer("age_seconds").orElse(0));
    boolean isActive = text(json, STATE).equals("active");
    return new Age(age, isActive ? OptionalLong.of(0) : OptionalLong.empty());
  }

  static Lease lease(JsonObject json) {
    Holder holder = new Holder(text(json, "actor"), text(json, "intent"), json.text("intent_version").orElse("none"),
        text(json, "host_id"), json.integer("pid").orElse(0),
        json.text("holder").filter("gone"::equals).isPresent());
    return new Lease(new LeaseName(text(json, "lock_name")), RequestId.ofHolder(text(json, "request_id")),
        new FencingToken(json.integer("fencing_token").orElse(0)), holder, moment(json, "created_at"),
        moment(json, "last_heartbeat_at"), Ttl.ofHolder(json.integer("ttl_seconds").orElse(0)),
        json.object("metadata").map(JsonObject::raw).orElse("{}"));
  }

  private static FreezeState freezeState(JsonObject json) {
    return json.text("problem")
        .<FreezeState>map(problem -> new FreezeState.Corrupt(json.text("freeze_path").orElse(""), problem))
        .orElseGet(() -> new FreezeState.Frozen(freeze(json)));
  }

  static Freeze freeze(JsonObject json) {
    return new Freeze(new LeaseName(text(json, "lock_name")), new RequestId(text(json, "request_id")),
        text(json, "actor"), text(json, "reason"), new Ttl(json.integer("ttl_seconds").orElse(0)),
        moment(json, "created_at"), json.text("on_behalf_of").orElse(null));
  }

  /** The halts of a service, without those that it cannot read: they stop nothing that has begun. */
  static HaltSource.InForce halts(JsonObject json) {
    return new HaltSource.InForce(
        json.objects("halts").stream().filter(halt -> halt.get("problem") == null).map(LockReader::halt).toList(),
        List.of());
  }

  private static Halt halt(JsonObject json) {
    OptionalLong ttl = json.integer("ttl_seconds");
    return new Halt(text(json, "name"), new RequestId(text(json, "request_id")),
        new Halt.Scope(json.texts("actors"), json.texts("intents"), json.texts("locks"), json.isTrue("all")),
        Halt.Level.of(text(json, "level")), text(json, "actor"), json.text("on_behalf_of").orElse(null),
        text(json, "reason"), ttl.isEmpty() ? null : Duration.ofSeconds(ttl.getAsLong()), moment(json, "created_at"));
  }

  private static Instant moment(JsonObject json, String key) {
    return Timestamps.parse(text(json, key)).orElseThrow(() -> new IllegalStateException(
        "the service returned a lock whose " + key + " is not a time: " + text(json, key)));
  }

  private static String text(JsonObject json, String key) {
    return json.text(key)
        .orElseThrow(() -> new IllegalStateException("the service returned a lock without " + key + ": " + json.raw()));
  }
}
