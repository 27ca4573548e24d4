package fleet.tower.service.call.lock;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.LockJson;
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
import fleet.tower.lock.LockClient.ForcedRelease;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.lock.Locks.Result;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.service.call.Body;
import fleet.tower.service.call.Needs;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

/** Calls about locks that clients hold themselves, kept alive by the heartbeats they send. */
public final class LockCalls {
  private static final String HEARTBEATS = "heartbeats";

  private final Locks locks;
  private final Host host;
  private final Scheduler scheduler;
  private final WaitingCalls waits;
  private final RenewalLag lag;
  private final LockEstimates estimates;
  private final RandomGenerator random = new KernelRandom();

  public LockCalls(Locks locks, Host host, Scheduler scheduler, WaitingCalls waits, RenewalLag lag,
      LockEstimates estimates) {
    this.locks = locks;
    this.host = host;
    this.scheduler = scheduler;
    this.waits = waits;
    this.lag = lag;
    this.estimates = estimates;
  }

  /** A request for a lock; {@code reason} states why, for the audit log. */
  public record AcquireBody(@Nullable String requestId, @Min(1) @Max(Ttl.MAX_SECONDS) @Nullable Long ttlSeconds,
      @Nullable String intent, @Nullable String intentVersion, boolean forceLock,
      @Min(0) @Max(Wait.MAX_SECONDS) @Nullable Long waitSeconds, @Nullable JsonObject metadata,
      @Nullable String reason) implements Body {}

  /** A heartbeat of a holder. */
  public record HeartbeatBody(@NotNull String requestId, @Min(0) @Nullable Long fencingToken) implements Body {}

  /** A release of a lock that another request holds; {@code abandon} takes it even from a live run. */
  public record ForceReleaseBody(@NotNull String reason, @Nullable String requestId, boolean abandon)
      implements
        Body {}

  /** A release by the holder; {@code failureStep} is the step that failed. */
  public record Release(RequestId by, Result result, FencingToken token, @Nullable String failureStep) {}

  /** A page of the locks, in the order of their names. */
  public static Page page(int limit, @Nullable String cursor) {
    return Page.of("locks", limit, cursor);
  }

  /** Passes the locks of a page, and one more if there is one, to the reader until it returns false. */
  @Needs(Role.VIEWER)
  public void list(Page page, Predicate<Placed<JsonWriter>> reader) {
    Cursor after = page.after();
    locks.list(after == null ? "" : after.key(0), page.toRead()).stream()
        .map(lock -> new Placed<>(LockJson.view(lock, locks.waiters(lock.name())), Cursor.of(lock.name())))
        .takeWhile(reader).forEach(_ -> {});
  }

  /** The lateness of the heartbeats for the locks that this process holds. */
  @Needs(Role.VIEWER)
  public JsonWriter heartbeats() {
    return JsonWriter.line().put(HEARTBEATS, JsonWriter.line().put("beats", lag.beats())
        .put("worst_lateness_ms", lag.worst().toMillis()).put("failures", lag.failures())
        .put("failing", lag.failing()));
  }

  /** A lock with its waiters. */
  @Needs(Role.VIEWER)
  public Answer view(String name) {
    LockView view = locks.view(new LeaseName(name));
    return view.isFree()
        ? LockProblems.notFound(view.name())
        : Answer.ok(withHeartbeats(view.name(), LockJson.view(view, locks.waiters(view.name()))
            .list("queue", LockJson.queue(locks.queue(view.name())))));
  }

  /** The heartbeat counts of a lock that this process holds for a run. */
  private JsonWriter withHeartbeats(LeaseName name, JsonWriter lock) {
    lag.of(name).ifPresent(counts -> lock.put(HEARTBEATS, JsonWriter.line().put("beats", counts.beats())
        .put("failures", counts.failures()).put("consecutive_failures", counts.consecutiveFailures())
        .put("last_error", counts.lastError())));
    return lock;
  }

  /**
   * Acquires a lock for the caller. A wait ends when the service stops or the client withdraws its request. A client
   * that disconnects while it waits is noticed only when the answer is written: then it holds the lock, and because it
   * sends no heartbeats, the lock goes stale. Repeating the call with the same {@code request_id} still returns it.
   */
  @Needs(Role.AGENT)
  public Answer acquire(String name, AcquireBody body, Caller caller) {
    return acquire(name, body, caller, new Cancellation(), (_, _, _) -> {});
  }

  /**
   * The same for a client whose disconnection is noticed: it ends the wait, and a lock that was granted in that moment
   * is released.
   *
   * @param client the client's disconnection
   *
   * @param progress receives the place in line while the call waits, on the thread of the call
   */
  @Needs(Role.AGENT)
  public Answer acquire(String name, AcquireBody body, Caller caller, Cancellation client, Wait.Progress progress) {
    Optional<RequestId> given = Optional.ofNullable(body.requestId()).map(RequestId::new);
    RequestId requestId = given.orElseGet(() -> RequestId.random(random));
    Holder holder = new Holder(caller.name(), Objects.requireNonNullElse(body.intent(), "manual"),
        Objects.requireNonNullElse(body.intentVersion(), "none"), host.id(), host.pid(), false);
    Ttl ttl = body.ttlSeconds() == null ? Ttl.DEFAULT : new Ttl(body.ttlSeconds());
    Metadata metadata = Metadata.of(body.metadata(), caller.onBehalfOf());
    boolean force = body.forceLock();
    if (force) {
      caller.require(Role.OPERATOR, "take a lock by force");
    }
    LeaseName lock = new LeaseName(name);
    caller.requireLock(lock.value());
    AcquireRequest request = new AcquireRequest(lock, requestId, holder, ttl, force,
        metadata, given.isPresent() ? AcquireRequest.Reentry.CLIENT : AcquireRequest.Reentry.NEVER,
        caller.actor(), null).because(CommonProblems.validReason(body.reason()));
    long waitSeconds = Objects.requireNonNullElse(body.waitSeconds(), 0L);
    if (waitSeconds == 0) {
      return LockProblems.answer(request.name(), locks.acquire(request), estimates);
    }
    Duration limit = Duration.ofSeconds(waitSeconds);
    var outcome = waits.during(place(request.name()), requestId, caller, client,
        cancellation -> locks.acquire(request, new Wait(limit, scheduler, progress, cancellation)),
        answer -> withoutGrant(request, answer));
    return LockProblems.answer(request.name(), outcome, limit, waits.isClosing(), estimates);
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
  @Needs(Role.AGENT)
  public Answer withdraw(String name, String requestId, Caller caller) {
    LeaseName lock = new LeaseName(name);
    RequestId by = new RequestId(requestId);
    return waits.withdraw(place(lock), by, caller)
        ? Answer.ok(JsonWriter.line().put("lock_name", name).put("request_id", requestId).put("withdrawn", true))
        : LockProblems.notWaiting(lock, by);
  }

  /** Renews the caller's lock. */
  @Needs(Role.AGENT)
  public Answer renew(String name, HeartbeatBody body, Caller caller) {
    LeaseName lock = new LeaseName(name);
    caller.requireLock(lock.value());
    RequestId by = new RequestId(body.requestId());
    FencingToken token = new FencingToken(Objects.requireNonNullElse(body.fencingToken(), 0L));
    RenewOutcome outcome = locks.renew(caller.actor(), lock, owner(by, caller), token);
    if (outcome instanceof RenewOutcome.Taken(Lease holder)) {
      requireOwn(holder, by, caller, "renew");
    }
    return LockProblems.answer(lock, by, outcome);
  }

  /** Releases the caller's lock. */
  @Needs(Role.AGENT)
  public Answer release(LeaseName lock, Release release, Caller caller) {
    ReleaseOutcome outcome = locks.release(caller.actor(), lock, owner(release.by(), caller), release.token(),
        release.result(), release.failureStep());
    if (outcome instanceof ReleaseOutcome.NotOwner(Lease holder)) {
      requireOwn(holder, release.by(), caller, "release");
    }
    return LockProblems.answer(lock, locks.pathOf(lock), outcome);
  }

  /** Releases the lock of any holder. */
  @Needs(Role.OPERATOR)
  public Answer forceRelease(String name, ForceReleaseBody body, Caller caller) {
    LeaseName lock = new LeaseName(name);
    CommonProblems.validReason(body.reason());
    RequestId requestId = body.requestId() == null ? RequestId.random(random) : new RequestId(body.requestId());
    return LockProblems.answer(lock, locks.pathOf(lock),
        locks.forceRelease(caller.actor(), lock, new ForcedRelease(requestId, body.reason(), body.abandon())));
  }

  /**
   * The owner as whom a caller renews or releases. Request ids are public, so only an operator is exempt from the actor
   * check.
   */
  private static Owner owner(RequestId by, Caller caller) {
    return caller.role().covers(Role.OPERATOR) ? Owner.ofAnyActor(by) : Owner.ofClient(by, caller.name());
  }

  /** The refusal of a caller that named another actor's request. */
  private static void requireOwn(Lease lease, RequestId by, Caller caller, String what) {
    if (lease.requestId().equals(by)) {
      caller.requireOwn(lease.holder().actor(), what + " lock " + lease.name());
    }
  }

  private static String place(LeaseName name) {
    return "/locks/" + name;
  }

  /** The result of the work under a lock, from its text. */
  public static Result result(String text) {
    return Optional.of(text.toUpperCase(Locale.ROOT)).filter(_ -> text.matches("success|failure|aborted"))
        .map(Result::valueOf).orElseThrow(() -> CommonProblems.invalid("result",
            "'result' must be success, failure or aborted", "correct the value or omit 'result'"));
  }
}
