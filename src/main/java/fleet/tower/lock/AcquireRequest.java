package fleet.tower.lock;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseRequest;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;

/**
 * Somebody asks for a lock. Force takes it from a dead holder and from nobody else.
 *
 * @param metadata what the holder wants readers to know; the store adds the fencing token to it
 * @param reentry whether a lock that the same owner holds already is kept
 * @param actor who asks: the holder's actor, and through which door
 */
public record AcquireRequest(LeaseName name, RequestId requestId, Holder holder, Ttl ttl, boolean force,
    Metadata metadata, Reentry reentry, Actor actor) {

  /** By a holder whose door is not known, who takes what nobody has and keeps nothing. */
  public AcquireRequest(LeaseName name, RequestId requestId, Holder holder, Ttl ttl, boolean force,
      Metadata metadata) {
    this(name, requestId, holder, ttl, force, metadata, Reentry.NEVER, new Actor(holder.actor(), null, null));
  }

  /** The same, with nothing more to tell. */
  public AcquireRequest(LeaseName name, RequestId requestId, Holder holder, Ttl ttl, boolean force) {
    this(name, requestId, holder, ttl, force, Metadata.NONE);
  }

  public AcquireRequest {
    requireNonNull(name);
    requireNonNull(requestId);
    holder.requireOurs();
    requireNonNull(ttl);
    requireNonNull(metadata);
    requireNonNull(reentry);
    if (!actor.name().equals(holder.actor())) {
      throw new IllegalStateException(
          "'" + actor.name() + "' asks for a lock that '" + holder.actor() + "' would hold");
    }
  }

  /** The same with another answer for an owner that has the lock already. */
  public AcquireRequest with(Reentry other) {
    return new AcquireRequest(name, requestId, holder, ttl, force, metadata, other, actor);
  }

  /** Whose the lock would be. */
  public Owner owner() {
    return new Owner(requestId, holder.actor());
  }

  /** What the rules decide by. */
  public LeaseRequest leaseRequest() {
    return new LeaseRequest(owner(), reentry != Reentry.NEVER, force);
  }

  /** What becomes of an owner that asks for a lock that it has already. */
  public enum Reentry {
    /** It is refused. A run holds what it took itself, whoever else uses its request id. */
    NEVER,
    /** It keeps the lock: a client repeats a question whose answer was lost. The id of a recorded run is refused. */
    CLIENT,
    /** It keeps the lock: a run goes on whose executor died after it had taken the lock, and before the first step. */
    RESUMED_RUN
  }

  /**
   * What a holder lets the readers of its lock know, beside what every lock tells: members whose values are JSON. The names
   * {@code fencing_token} and {@code on_behalf_of} are not for holders to choose.
   */
  public record Metadata(Map<String, String> members) {
    /** Where a lock keeps the number of its tenure. */
    public static final String TOKEN = "fencing_token";
    /** Where a lock says for whom its actor acts. */
    public static final String ON_BEHALF_OF = "on_behalf_of";
    /** Where a lock tells what it is renewed for, where that is more than that its holder lives. */
    public static final String HEARTBEAT = "heartbeat";
    public static final String PROGRESS = "progress";
    public static final Metadata NONE = new Metadata(Map.of());
    /** A lock file is read at every look and written at every heartbeat. */
    private static final int MAX_BYTES = 16 * 1024;

    public Metadata {
      requireNonNull(members);
    }

    /** What a client gave, and for whom its caller says to act. */
    public static Metadata of(@Nullable JsonObject given, @Nullable String onBehalfOf) {
      Map<String, String> members = new LinkedHashMap<>();
      if (given != null) {
        int bytes = given.raw().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
          throw new InvalidValue(InvalidValue.Kind.REQUEST,
              "metadata is " + bytes + " bytes long; at most " + MAX_BYTES + " are kept");
        }
        given.members().forEach((key, value) -> members.put(free(key), given.raw(value)));
      }
      if (onBehalfOf != null) {
        members.put(ON_BEHALF_OF, JsonWriter.quote(onBehalfOf));
      }
      return new Metadata(members);
    }

    /** The same, telling that the lock is renewed only while the work under it gets on; a word of the holder's own stands. */
    public Metadata provingProgress() {
      Map<String, String> more = new LinkedHashMap<>(members);
      more.putIfAbsent(HEARTBEAT, JsonWriter.quote(PROGRESS));
      return new Metadata(more);
    }

    /** The JSON object that a lock file holds. */
    public String with(FencingToken token) {
      JsonWriter json = JsonWriter.line().put(TOKEN, token.value());
      members.forEach(json::raw);
      return json.end();
    }

    private static String free(String key) {
      if (key.equals(TOKEN) || key.equals(ON_BEHALF_OF)) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST,
            "metadata may not have a member '" + key + "': it is set by the service; use another name");
      }
      return key;
    }
  }
}
