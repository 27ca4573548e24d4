package fleet.tower.lock;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseRules;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;

/**
 * A request for a lock. Force takes the lock from a dead holder, but never from a live one.
 *
 * @param metadata the holder's information for readers; the store adds the fencing token to it
 * @param reentry whether the owner keeps a lock that it holds already
 * @param actor the holder's actor, and the door of the request
 *
 * @param reason why the lock is requested, for the audit log; null if no reason was given
 */
public record AcquireRequest(LeaseName name, RequestId requestId, Holder holder, Ttl ttl, boolean force,
    Metadata metadata, Reentry reentry, Actor actor, @Nullable String reason) {

  public AcquireRequest {
    holder.requireOurs();
    if (!actor.name().equals(holder.actor())) {
      throw new IllegalStateException(
          "'" + actor.name() + "' requests a lock that '" + holder.actor() + "' would hold");
    }
  }

  /** The same request with another reentry. */
  public AcquireRequest with(Reentry other) {
    return new AcquireRequest(name, requestId, holder, ttl, force, metadata, other, actor, reason);
  }

  /** The same request for a lock that names the process that renews it. */
  public AcquireRequest renewedBy(HolderProcess process) {
    return new AcquireRequest(name, requestId, holder, ttl, force, metadata.renewedBy(process), reentry, actor, reason);
  }

  /** The same request with a reason. */
  public AcquireRequest because(@Nullable String why) {
    return new AcquireRequest(name, requestId, holder, ttl, force, metadata, reentry, actor, why);
  }

  /** The owner of the lock, if it is granted. */
  public Owner owner() {
    return new Owner(requestId, holder.actor(), metadata.ownerKind());
  }

  /** What begins if the lock is granted. */
  public Halt.Subject subject() {
    return Halt.Subject.of(actor, holder.intent(), name);
  }

  /** The part of the request that the lease rules use. */
  public LeaseRules.Request leaseRequest() {
    return new LeaseRules.Request(owner(), reentry != Reentry.NEVER, force);
  }

  /** The answer to an owner that requests a lock that it holds already. */
  public enum Reentry {
    /** It is refused: another request with the same id must not share the lock of a run. */
    NEVER,
    /** It keeps the lock: a client repeats a request whose answer was lost. The id of a recorded run is refused. */
    CLIENT,
    /** It keeps the lock: a run resumes whose executor died between taking the lock and the first step. */
    RESUMED_RUN
  }

  /**
   * The metadata of a lock: members with JSON values, which a holder adds to its lock for readers. The names
   * {@code fencing_token}, {@code on_behalf_of} and {@code held_for} are reserved.
   */
  public record Metadata(Map<String, String> members) {
    /** The member with the fencing token. */
    public static final String TOKEN = "fencing_token";
    /** The member with the person for whom the actor acts. */
    public static final String ON_BEHALF_OF = "on_behalf_of";
    /** The member with the condition of a renewal, if it is more than a live holder. */
    public static final String HEARTBEAT = "heartbeat";
    public static final String PROGRESS = "progress";
    /** The member that allows the lock's release once all processes of its run have ended. */
    public static final String ON_INTERRUPTED = "on_interrupted";
    public static final String RELEASE = "release";
    public static final Metadata NONE = new Metadata(Map.of());
    /** A limit, because a lock file is read at every check and written at every heartbeat. */
    private static final int MAX_BYTES = 16 * 1024;

    /** The metadata that a client gave, and the person for whom its caller acts. */
    public static Metadata of(@Nullable JsonObject given, @Nullable String onBehalfOf) {
      Map<String, String> members = new LinkedHashMap<>();
      if (given != null) {
        int bytes = given.raw().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
          throw new InvalidValue(InvalidValue.Kind.REQUEST,
              "metadata is " + bytes + " bytes long; the limit is " + MAX_BYTES + " bytes");
        }
        given.members().forEach((key, value) -> members.put(free(key), given.raw(value)));
      }
      if (onBehalfOf != null) {
        members.put(ON_BEHALF_OF, JsonWriter.quote(onBehalfOf));
      }
      return new Metadata(members);
    }

    /** The same for the lock of a run. Its mark comes first, where a statement of a database can compare it. */
    public Metadata ofRun() {
      Map<String, String> more = new LinkedHashMap<>();
      more.put(Lease.HELD_FOR, JsonWriter.quote(Lease.RUN));
      more.putAll(members);
      return new Metadata(more);
    }

    Owner.Kind ownerKind() {
      return members.containsKey(Lease.HELD_FOR) ? Owner.Kind.RUN : Owner.Kind.CLIENT;
    }

    /**
     * The same, with the condition that the lock is renewed only while its work makes progress; the holder's own value
     * wins.
     */
    public Metadata provingProgress() {
      return with(HEARTBEAT, PROGRESS);
    }

    /** The same, with the process that renews the lock; the holder's own value wins. */
    public Metadata renewedBy(HolderProcess process) {
      return with(HolderProcess.MEMBER, process.toString());
    }

    /** The same, with the permission to release the lock if its run is interrupted; the holder's own value wins. */
    public Metadata releasedOnInterruption() {
      return with(ON_INTERRUPTED, RELEASE);
    }

    private Metadata with(String member, String value) {
      Map<String, String> more = new LinkedHashMap<>(members);
      more.putIfAbsent(member, JsonWriter.quote(value));
      return new Metadata(more);
    }

    /** Whether a lease has the permission of {@link #releasedOnInterruption}. */
    public static boolean isReleasedOnInterruption(Lease lease) {
      return HolderProcess.text(lease, ON_INTERRUPTED).filter(RELEASE::equals).isPresent();
    }

    /** The metadata as the JSON object of a lock file. */
    public String with(FencingToken token) {
      JsonWriter json = JsonWriter.line().put(TOKEN, token.value());
      members.forEach(json::raw);
      return json.end();
    }

    private static String free(String key) {
      if (key.equals(TOKEN) || key.equals(ON_BEHALF_OF) || key.equals(Lease.HELD_FOR)) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST,
            "metadata may not have a member '" + key + "': it is set by the service; use another name");
      }
      InvalidValue.requirePlain("metadata member", key);
      return key;
    }
  }
}
