package fleet.tower.cli.remote;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.RefusedCommand;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lease.keepalive.RenewalListener;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.HolderProcess;
import fleet.tower.lock.LockClient;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.operation.Ask;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.Operation;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.remote.PatientCall;
import fleet.tower.remote.Server;

/**
 * The locks of a service, which knows the actor of a call by the token. A refusal that has no outcome here is thrown as
 * a {@link RefusedCommand}.
 */
final class RemoteLockClient implements LockClient {
  private final Server server;
  private final TimeSource time;
  private final Map<LeaseName, Integer> waiters = new ConcurrentHashMap<>();

  RemoteLockClient(Server server, TimeSource time) {
    this.server = server;
    this.time = time;
  }

  private JsonObject send(Operation operation, Given given) {
    return server.send(new Ask(operation, given), Duration.ZERO);
  }

  @Override
  public AcquireOutcome acquire(AcquireRequest request) {
    return acquire(request, Duration.ZERO);
  }

  @Override
  public WaitOutcome<AcquireOutcome, Decision.Obstacle> acquire(AcquireRequest request, Wait wait) {
    try (var _ = reporting(request.name(), request.requestId(), wait)) {
      return new PatientCall(server, new Ask(LockOperations.WITHDRAW, LockOperations.of(request.name())
          .with(LockOperations.WITHDRAWN, request.requestId().value())).path(),
          wait.cancellation(), wait.scheduler())
          .await(() -> answered(request, wait.limit()), new WaitOutcome.Cancelled<>());
    }
  }

  /** Reports the obstacle while the service delays its answer; a read that fails reports nothing. */
  Reporting reporting(LeaseName name, RequestId by, Wait wait) {
    return new Reporting(name, by, wait);
  }

  private WaitOutcome<AcquireOutcome, Decision.Obstacle> answered(AcquireRequest request, Duration patience) {
    try {
      return new WaitOutcome.Answered<>(acquire(request, patience));
    } catch (RefusedCommand refusal) {
      if (refusal.is(ErrorCode.LOCK_REQUEST_WITHDRAWN)) {
        return new WaitOutcome.Cancelled<>();
      }
      throw refusal;
    }
  }

  private AcquireOutcome acquire(AcquireRequest request, Duration patience) {
    Given given = LockOperations.of(request.name()).with(CommonArgs.REQUEST_ID, request.requestId().value())
        .with(LockOperations.TTL, request.ttl().seconds()).with(LockOperations.INTENT, request.holder().intent())
        .with(LockOperations.INTENT_VERSION, request.holder().intentVersion())
        .with(LockOperations.FORCE, request.force())
        .with(LockOperations.WAIT, patience.plusMillis(999).toSeconds());
    if (request.reason() != null) {
      given = given.with(CommonArgs.REASON, request.reason());
    }
    if (!request.metadata().members().isEmpty()) {
      JsonWriter metadata = JsonWriter.line();
      request.metadata().members().forEach(metadata::raw);
      given = given.with(LockOperations.METADATA, JsonReader.readOwn(metadata.end()));
    }
    // After a wait this may be long ago; then a heartbeat comes at once and renews the lock.
    long stamp = time.nanos();
    JsonObject json = server.send(new Ask(LockOperations.ACQUIRE, given), patience);
    HeldLease held = HeldLease.since(stamp, LockReader.lease(json));
    if (json.isTrue("already_held")) {
      return new AcquireOutcome.Kept(held);
    }
    return new AcquireOutcome.Granted(held, json.isTrue("stolen") ? new PreviousLock(null, "") : null);
  }

  /** The term counts from before the call, so that the holder gives up no later than the service does. */
  @Override
  public RenewOutcome renew(Actor actor, LeaseName name, Owner by, FencingToken token) {
    long stamp = time.nanos();
    try {
      JsonObject json = send(LockOperations.RENEW, LockOperations.of(name)
          .with(LockOperations.OWNING, by.requestId().value()).with(LockOperations.TOKEN, token.value()));
      return new RenewOutcome.Renewed(HeldLease.since(stamp, LockReader.lease(json)),
          json.integer("late_by_seconds").orElse(0));
    } catch (RefusedCommand refusal) {
      if (refusal.is(ErrorCode.LOCK_NOT_FOUND)) {
        return new RenewOutcome.Gone();
      }
      if (refusal.is(ErrorCode.NOT_LOCK_OWNER) || refusal.is(ErrorCode.LOCK_LOST)) {
        return holder(name).<RenewOutcome>map(RenewOutcome.Taken::new).orElseGet(RenewOutcome.Gone::new);
      }
      throw refusal;
    }
  }

  /** A service that cannot be reached is a heartbeat that failed, and no loss. */
  @Override
  public Renewal renewal(Actor actor, Lease lease) {
    return () -> {
      try {
        return LockClient.result(renew(actor, lease.name(), lease.owner(), lease.token()));
      } catch (RefusedCommand refusal) {
        return new Renewal.Failed(refusal.reply().message());
      }
    };
  }

  @Override
  public RenewalListener recording(Actor actor, Lease lease, RenewalListener listener) {
    return listener;
  }

  @Override
  public Optional<HolderProcess> thisProcess() {
    return Optional.empty();
  }

  private Optional<Lease> holder(LeaseName name) {
    return holder(view(name));
  }

  private static Optional<Lease> holder(LockView view) {
    return view.leaseState() instanceof LeaseState.Held(Lease lease, Age _) ? Optional.of(lease) : Optional.empty();
  }

  @Override
  public ReleaseOutcome release(Actor actor, LeaseName name, Owner by, FencingToken token, Locks.Result result,
      @Nullable String failureStep) {
    LockView before = view(name);
    if (before.state() == LeaseState.State.FREE) {
      return new ReleaseOutcome.Absent();
    }
    Given given = LockOperations.of(name).with(LockOperations.OWNING, by.requestId().value())
        .with(LockOperations.RESULT, result.toString());
    if (!token.isNone()) {
      given = given.with(LockOperations.TOKEN, token.value());
    }
    if (failureStep != null) {
      given = given.with(LockOperations.FAILURE_STEP, failureStep);
    }
    try {
      JsonObject json = send(LockOperations.RELEASE, given);
      Lease lease = holder(before).orElseThrow(() -> new IllegalStateException(
          "the service released lock " + name + ", which it could not read before"));
      Instant at = lease.createdAt().plusSeconds(json.integer("held_duration_seconds").orElse(0));
      return new ReleaseOutcome.Released(lease, at);
    } catch (RefusedCommand refusal) {
      if (refusal.is(ErrorCode.LOCK_NOT_FOUND)) {
        return new ReleaseOutcome.Absent();
      }
      if (refusal.is(ErrorCode.NOT_LOCK_OWNER)) {
        return holder(name).<ReleaseOutcome>map(ReleaseOutcome.NotOwner::new).orElseGet(ReleaseOutcome.Absent::new);
      }
      throw refusal;
    }
  }

  @Override
  public LockView view(LeaseName name) {
    try {
      return seen(send(LockOperations.VIEW, LockOperations.of(name)));
    } catch (RefusedCommand refusal) {
      if (refusal.is(ErrorCode.LOCK_NOT_FOUND)) {
        return new LockView(name, "", new LeaseState.Vacant(), new FreezeState.None());
      }
      throw refusal;
    }
  }

  @Override
  public List<LockView> list() {
    return RemotePages.read(server, LockOperations.LIST, Given.NOTHING).rows().rows().stream().map(this::seen).toList();
  }

  private LockView seen(JsonObject json) {
    LockView view = LockReader.view(json);
    waiters.put(view.name(), (int) json.integer("waiters").orElse(0));
    return view;
  }

  @Override
  public int waiters(LeaseName name) {
    return waiters.getOrDefault(name, 0);
  }

  @Override
  public boolean callerIsOperator() {
    return false;
  }

  /** The end of the reports. */
  final class Reporting implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final LeaseName name;
    private final RequestId by;
    private final Wait wait;
    private final ReentrantLock lock = new ReentrantLock();
    private Duration waited = Duration.ZERO;
    private boolean isOver;
    private Scheduler.@Nullable Pending next;

    Reporting(LeaseName name, RequestId by, Wait wait) {
      this.name = name;
      this.by = by;
      this.wait = wait;
      report();
    }

    /** The queue of a service cannot be seen from here, so the position is unknown. */
    private void report() {
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
        next = wait.scheduler().after(INTERVAL, this::report);
      } finally {
        lock.unlock();
      }
    }

    private Decision.@Nullable Obstacle obstacle() {
      try {
        return view(name).obstacleOf(by);
      } catch (RefusedCommand unseen) {
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
