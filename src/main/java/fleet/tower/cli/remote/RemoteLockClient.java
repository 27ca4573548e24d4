package fleet.tower.cli.remote;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import fleet.tower.cli.lock.LockClient;
import fleet.tower.cli.reply.ErrorCode;
import fleet.tower.cli.reply.RemoteRefusal;
import fleet.tower.cli.server.PatientCall;
import fleet.tower.cli.server.Server;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.freeze.FreezeOutcome;
import fleet.tower.lock.freeze.FreezeRequest;
import fleet.tower.lock.freeze.FreezeState;
import fleet.tower.lock.freeze.UnfreezeOutcome;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/** The locks of a service. Its refusals are thrown as it tells them. */
final class RemoteLockClient implements LockClient {
  private static final String REQUEST_ID = "request_id";
  private final Server server;
  private final TimeSource time;
  private final Map<LeaseName, Integer> waiters = new ConcurrentHashMap<>();

  RemoteLockClient(Server server, TimeSource time) {
    this.server = server;
    this.time = time;
  }

  private static String path(LeaseName name) {
    return "/locks/" + name;
  }

  @Override
  public AcquireOutcome acquire(AcquireRequest request) {
    return acquire(request, Duration.ZERO);
  }

  @Override
  public WaitOutcome<AcquireOutcome, Decision.Obstacle> acquire(AcquireRequest request, Wait wait) {
    try (Progress _ = new Progress(request, wait)) {
      return new PatientCall(server, path(request.name()), request.requestId(), wait.cancellation(), wait.scheduler())
          .await(() -> answered(request, wait.limit()), new WaitOutcome.Cancelled<>());
    }
  }

  private WaitOutcome<AcquireOutcome, Decision.Obstacle> answered(AcquireRequest request, Duration patience) {
    try {
      return new WaitOutcome.Answered<>(acquire(request, patience));
    } catch (RemoteRefusal told) {
      if (told.is(ErrorCode.LOCK_REQUEST_WITHDRAWN)) {
        return new WaitOutcome.Cancelled<>();
      }
      throw told;
    }
  }

  private AcquireOutcome acquire(AcquireRequest request, Duration patience) {
    JsonWriter body = JsonWriter.line().put(REQUEST_ID, request.requestId().value())
        .put("ttl_seconds", request.ttl().seconds()).put("intent", request.holder().intent())
        .put("intent_version", request.holder().intentVersion())
        .put("force_lock", request.force()).put("wait_seconds", patience.plusMillis(999).toSeconds());
    // After a wait this may be long ago; a heartbeat that comes at once tells then.
    long stamp = time.nanos();
    JsonObject json = server.post(path(request.name()), body, Map.of(), patience).json();
    HeldLease tenure = HeldLease.since(stamp, LockReader.lease(json));
    if (LockReader.isTrue(json, "already_held")) {
      return new AcquireOutcome.Kept(tenure);
    }
    return new AcquireOutcome.Granted(tenure, LockReader.isTrue(json, "stolen") ? new PreviousLock(null, "") : null);
  }

  @Override
  public RenewOutcome renew(LeaseName name, Owner by, FencingToken token) {
    return renewed(name, by, token);
  }

  /** The tenure counts from before the call, so that the holder gives up no later than the service does. */
  private RenewOutcome.Renewed renewed(LeaseName name, Owner by, FencingToken token) {
    long stamp = time.nanos();
    JsonObject json = server.post(path(name) + "/heartbeat", JsonWriter.line().put(REQUEST_ID, by.requestId().value())
        .put("fencing_token", token.value()), Map.of(), Duration.ZERO).json();
    return new RenewOutcome.Renewed(HeldLease.since(stamp, LockReader.lease(json)),
        json.integer("late_by_seconds").orElse(0));
  }

  /** A service that cannot be reached is a heartbeat that failed, and no loss. */
  @Override
  public Renewal renewal(Lease lease) {
    return () -> {
      try {
        return new Renewal.Renewed(renewed(lease.name(), lease.owner(), lease.token()).tenure());
      } catch (RemoteRefusal told) {
        return switch (String.valueOf(told.getMessage())) {
          case "lock_not_found" -> new Renewal.Lost("lock is gone", null);
          case "not_lock_owner", "lock_lost" -> new Renewal.Lost("held by another", holder(lease.name()));
          default -> new Renewal.Failed(told.reply().message());
        };
      }
    };
  }

  private @Nullable Lease holder(LeaseName name) {
    try {
      return look(name).occupancy() instanceof LeaseState.Held held ? held.lease() : null;
    } catch (RemoteRefusal unreachable) {
      return null;
    }
  }

  @Override
  public ReleaseOutcome release(LeaseName name, Owner by, FencingToken token, Locks.Result result,
      @Nullable String failureStep) {
    LockView before = look(name);
    if (before.state() == LeaseState.State.FREE) {
      return new ReleaseOutcome.Absent();
    }
    String query = "?request_id=" + Server.part(by.requestId().value()) + "&result="
        + result.toString().toLowerCase(Locale.ROOT)
        + (token.isNone() ? "" : "&fencing_token=" + token)
        + (failureStep == null ? "" : "&failure_step=" + Server.part(failureStep));
    JsonObject json = server.delete(path(name) + query).json();
    if (!(before.occupancy() instanceof LeaseState.Held(Lease lease, var _))) {
      throw new IllegalStateException("the service released lock " + name + ", which it could not read before");
    }
    Instant at = lease.createdAt().plusSeconds(json.integer("held_duration_seconds").orElse(0));
    return new ReleaseOutcome.Released(lease, at);
  }

  @Override
  public ForceReleaseOutcome forceRelease(LeaseName name, RequestId requestId, String reason) {
    LockView before = look(name);
    JsonObject json = server.post(path(name) + "/force-release", JsonWriter.line().put("reason", reason)
        .put(REQUEST_ID, requestId.value()), Map.of(), Duration.ZERO).json();
    Lease lease = before.occupancy() instanceof LeaseState.Held held ? held.lease() : null;
    return new ForceReleaseOutcome.Removed(new PreviousLock(lease, json.text("previous_lock_hash").orElse("")),
        Instant.EPOCH);
  }

  @Override
  public FreezeOutcome freeze(FreezeRequest request) {
    JsonObject json = server.put("/freezes/" + request.name(), JsonWriter.line().put(REQUEST_ID,
        request.requestId().value()).put("ttl_seconds", request.ttl().seconds()).put("reason", request.reason()))
        .json();
    return new FreezeOutcome.Frozen(LockReader.freeze(json));
  }

  @Override
  public UnfreezeOutcome unfreeze(LeaseName name, RequestId requestId) {
    try {
      JsonObject json = server.delete("/freezes/" + name + "?" + REQUEST_ID + "=" + Server.part(requestId.value()))
          .json();
      FreezeState lifted = json.object("previous_freeze")
          .<FreezeState>map(it -> new FreezeState.Frozen(LockReader.freeze(it)))
          .orElseGet(() -> new FreezeState.Unreadable("", ""));
      return new UnfreezeOutcome.Unfrozen(lifted, Instant.EPOCH);
    } catch (RemoteRefusal told) {
      if (told.is(ErrorCode.NOT_FROZEN)) {
        return new UnfreezeOutcome.NotFrozen();
      }
      throw told;
    }
  }

  @Override
  public LockView look(LeaseName name) {
    try {
      return seen(server.get(path(name)).json());
    } catch (RemoteRefusal told) {
      if ("lock_not_found".equals(told.getMessage())) {
        return new LockView(name, "", new LeaseState.Vacant(), new FreezeState.None());
      }
      throw told;
    }
  }

  @Override
  public List<LockView> list() {
    return server.get("/locks").json().objects("locks").stream().map(this::seen).toList();
  }

  private LockView seen(JsonObject json) {
    LockView sighting = LockReader.sighting(json);
    waiters.put(sighting.name(), (int) json.integer("waiters").orElse(0));
    return sighting;
  }

  /** As it was when the lock was looked at last. */
  @Override
  public int waiters(LeaseName name) {
    return waiters.getOrDefault(name, 0);
  }

  @Override
  public String pathOf(LeaseName name) {
    return look(name).path();
  }

  /** Tells what is in the way while the service keeps the answer back; a look that fails tells nothing. */
  private final class Progress implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final AcquireRequest request;
    private final Wait wait;
    private final ReentrantLock lock = new ReentrantLock();
    private Duration waited = Duration.ZERO;
    private boolean isOver;
    private Scheduler.@Nullable Pending next;

    Progress(AcquireRequest request, Wait wait) {
      this.request = request;
      this.wait = wait;
      tell();
    }

    /** The line of a service is not seen from here, so nobody can say how many come before. */
    private void tell() {
      Decision.Obstacle obstacle = obstacle();
      lock.lock();
      try {
        if (isOver) {
          return;
        }
        if (obstacle != null) {
          wait.progress().waiting(obstacle, waited, Wait.UNKNOWN_POSITION);
        }
        waited = waited.plus(INTERVAL);
        next = wait.scheduler().after(INTERVAL, this::tell);
      } finally {
        lock.unlock();
      }
    }

    private Decision.@Nullable Obstacle obstacle() {
      try {
        return look(request.name()).decide(request) instanceof Decision.Obstacle obstacle
            ? obstacle
            : null;
      } catch (RemoteRefusal unseen) {
        return null;
      }
    }

    @Override
    public void close() {
      lock.lock();
      try {
        isOver = true;
        if (next != null) {
          next.cancel();
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
