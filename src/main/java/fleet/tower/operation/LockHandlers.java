package fleet.tower.operation;

import static fleet.tower.operation.LockOperations.NAME;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.home.Home;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lease.keepalive.RenewalLag;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.Freezes;
import fleet.tower.lock.LockClient.ForcedRelease;
import fleet.tower.lock.Locks;
import fleet.tower.lock.Locks.Result;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.operation.Handler.Request;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.platform.time.Scheduler;

/** Carries out the operations on locks that clients hold themselves, kept alive by the heartbeats they send. */
public final class LockHandlers {
  private final Locks locks;
  private final Freezes freezes;
  private final Host host;
  private final Scheduler scheduler;
  private final WaitingCalls waits;
  private final Supplier<RenewalLag> lag;
  private final RandomGenerator random = new KernelRandom();

  /** The host and process that are written into locks. */
  public record Host(String id, long pid) {
    /** This process. */
    public static Host of(Home home) {
      return new Host(home.hostId(), ProcessHandle.current().pid());
    }
  }

  /** @param lag the heartbeats of the locks that this process holds */
  public LockHandlers(Locks locks, Freezes freezes, Host host, Scheduler scheduler, WaitingCalls waits,
      Supplier<RenewalLag> lag) {
    this.locks = locks;
    this.freezes = freezes;
    this.host = host;
    this.scheduler = scheduler;
    this.waits = waits;
    this.lag = lag;
  }

  /** The handler of each operation. */
  public Map<Operation, Handler> all() {
    return Map.of(LockOperations.LIST, this::list, LockOperations.VIEW, this::view, LockOperations.ACQUIRE,
        this::acquire, LockOperations.RENEW, this::renew, LockOperations.RELEASE, this::release,
        LockOperations.FORCE_RELEASE, this::forceRelease, LockOperations.WITHDRAW, this::withdraw,
        LockOperations.LIST_FREEZES, _ -> new LockCallOutcome.Freezes(freezes.list()), LockOperations.FREEZE,
        this::freeze,
        LockOperations.UNFREEZE, this::unfreeze);
  }

  private Outcome list(Request request) {
    Page page = CommonArgs.page("locks", request.given());
    Cursor after = page.after();
    return new LockCallOutcome.Listed(page,
        reader -> locks.list(after == null ? "" : after.key(0), page.toRead()).stream()
            .map(
                lock -> new Placed<>(new LockCallOutcome.Row(lock, locks.waiters(lock.name())), Cursor.of(lock.name())))
            .takeWhile(reader).forEach(_ -> {}),
        lag.get());
  }

  private Outcome view(Request request) {
    LeaseName name = name(request);
    return new LockCallOutcome.Viewed(locks.view(name), locks.waiters(name), locks.queue(name), lag.get().of(name));
  }

  /**
   * Acquires a lock for the caller. A wait ends when the service stops, when another call withdraws the request, or when
   * its client is gone; a lock that was granted in that moment is released. A disconnection that is noticed only when
   * the answer is written leaves the lock, which goes stale without heartbeats; repeating the request with its id
   * returns it.
   */
  private Outcome acquire(Request request) {
    Given given = request.given();
    Caller caller = request.caller();
    LeaseName name = name(request);
    RequestId id = requestId(request);
    boolean force = given.get(LockOperations.FORCE);
    if (force) {
      caller.require(Role.OPERATOR, "take a lock by force");
    }
    caller.requireLock(name.value());
    Holder holder = new Holder(caller.name(), given.get(LockOperations.INTENT),
        given.get(LockOperations.INTENT_VERSION), host.id(), given.find(LockOperations.PID).orElse(host.pid()), false);
    AcquireRequest wanted = new AcquireRequest(name, id, holder, new Ttl(given.get(LockOperations.TTL)), force,
        Metadata.of(given.orNull(LockOperations.METADATA), caller.onBehalfOf()),
        given.has(CommonArgs.REQUEST_ID) ? AcquireRequest.Reentry.CLIENT : AcquireRequest.Reentry.NEVER,
        caller.actor(), CommonArgs.reason(given).orElse(null));
    Duration limit = Duration.ofSeconds(given.get(LockOperations.WAIT));
    WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome = limit.isZero()
        ? new WaitOutcome.Answered<>(locks.acquire(wanted))
        : waits.during(place(name), id, caller, request.client().gone(),
            cancellation -> locks.acquire(wanted,
                new Wait(limit, scheduler, (obstacle, waited, position) -> request.client().progress().waiting(name,
                    obstacle, waited, position), cancellation)),
            answer -> withoutGrant(wanted, answer));
    return new LockCallOutcome.Acquired(name, outcome, limit, waits.isClosing());
  }

  /** Releases a granted lock, but keeps one that the request already held before the wait. */
  private WaitOutcome<AcquireOutcome, Decision.Obstacle> withoutGrant(AcquireRequest request,
      WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome) {
    if (outcome instanceof WaitOutcome.Answered(AcquireOutcome.Granted(HeldLease held, var _))) {
      locks.release(request.actor(), request.name(), request.owner(), held.lease().token(), Result.ABORTED, null);
      return new WaitOutcome.Cancelled<>();
    }
    return outcome;
  }

  /** Ends a client's wait. The waiting call answers that it was withdrawn, or with a lock granted just before. */
  private Outcome withdraw(Request request) {
    LeaseName name = name(request);
    RequestId by = requestId(request);
    return new LockCallOutcome.Withdrawn(name, by, waits.withdraw(place(name), by, request.caller()));
  }

  private Outcome renew(Request request) {
    LeaseName name = name(request);
    Caller caller = request.caller();
    caller.requireLock(name.value());
    RequestId by = requestId(request);
    Owner owner = owner(by, request);
    RenewOutcome outcome = locks.renew(caller.actor(), name, owner, token(request));
    if (outcome instanceof RenewOutcome.Taken(Lease holder)) {
      requireOwn(holder, by, caller, "renew");
    }
    return new LockCallOutcome.Renewed(name, owner, outcome);
  }

  private Outcome release(Request request) {
    LeaseName name = name(request);
    Caller caller = request.caller();
    RequestId by = requestId(request);
    Result result = Result.valueOf(request.given().get(LockOperations.RESULT).toUpperCase(Locale.ROOT));
    ReleaseOutcome outcome = locks.release(caller.actor(), name, owner(by, request), token(request), result,
        request.given().orNull(LockOperations.FAILURE_STEP));
    if (outcome instanceof ReleaseOutcome.NotOwner(Lease holder)) {
      requireOwn(holder, by, caller, "release");
    }
    return new LockCallOutcome.Released(name, locks.pathOf(name), outcome);
  }

  private Outcome forceRelease(Request request) {
    LeaseName name = name(request);
    ForcedRelease wanted = new ForcedRelease(requestId(request), CommonArgs.reason(request.given()).orElseThrow(),
        request.given().get(LockOperations.ABANDON));
    return new LockCallOutcome.ForceReleased(name, locks.pathOf(name),
        locks.forceRelease(request.caller().actor(), name, wanted));
  }

  private Outcome freeze(Request request) {
    Given given = request.given();
    Caller caller = request.caller();
    LeaseName name = name(request);
    FreezeRequest wanted = new FreezeRequest(name, requestId(request), caller.name(),
        given.get(LockOperations.FREEZE_REASON), new Ttl(given.get(LockOperations.FREEZE_TTL)), caller.onBehalfOf());
    return new LockCallOutcome.Frozen(name, freezes.freeze(wanted, caller.door()));
  }

  private Outcome unfreeze(Request request) {
    LeaseName name = name(request);
    return new LockCallOutcome.Unfrozen(name, freezes.unfreeze(request.caller().actor(), name, requestId(request)));
  }

  /**
   * The owner as whom a caller renews or releases. Request ids are public, so only an operator is exempt from the actor
   * check.
   */
  private static Owner owner(RequestId by, Request request) {
    Caller caller = request.caller();
    return Owner.ofClient(by,
        caller.role().covers(Role.OPERATOR) ? request.given().orNull(LockOperations.OWNER) : caller.name());
  }

  /** The refusal of a caller that named another actor's request. */
  private static void requireOwn(Lease lease, RequestId by, Caller caller, String what) {
    if (lease.requestId().equals(by)) {
      caller.requireOwn(lease.holder().actor(), what + " lock " + lease.name());
    }
  }

  private static LeaseName name(Request request) {
    return new LeaseName(request.given().get(NAME));
  }

  private RequestId requestId(Request request) {
    return request.given().find(CommonArgs.REQUEST_ID).map(RequestId::new).orElseGet(() -> RequestId.random(random));
  }

  private static FencingToken token(Request request) {
    return new FencingToken(request.given().find(LockOperations.TOKEN).orElse(FencingToken.NONE.value()));
  }

  private static String place(LeaseName name) {
    return "/locks/" + name;
  }
}
