package fleet.tower.service.web;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.cli.reply.LockJson;
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
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.lock.Locks.Result;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.service.web.call.WaitingCalls;
import fleet.tower.service.web.http.Body;
import fleet.tower.service.web.http.Json;
import fleet.tower.service.web.http.Needs;
import fleet.tower.service.web.http.Problems;
import fleet.tower.service.web.http.Query;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

/** Calls about locks that clients hold themselves, kept alive by the heartbeats they send. */
@RestController
@RequestMapping(path = "/locks", produces = MediaType.APPLICATION_JSON_VALUE)
final class LockController {
  private static final int MAX_REASON = 1000;
  private static final String REQUEST_ID = "request_id";
  private static final String ONE = "/{name}";

  private final Locks locks;
  private final Host host;
  private final Scheduler scheduler;
  private final WaitingCalls endings;
  private final RenewalLag punctuality;
  private final SecureRandom random = new SecureRandom();

  LockController(Locks locks, Host host, Scheduler scheduler, WaitingCalls endings, RenewalLag punctuality) {
    this.endings = endings;
    this.punctuality = punctuality;
    this.locks = locks;
    this.host = host;
    this.scheduler = scheduler;
  }

  record AcquireBody(@Nullable String requestId, @Min(1) @Max(Ttl.MAX_SECONDS) @Nullable Long ttlSeconds,
      @Nullable String intent, @Nullable String intentVersion, boolean forceLock,
      @Min(0) @Max(Wait.MAX_SECONDS) @Nullable Long waitSeconds, @Nullable JsonObject metadata) implements Body {}

  record HeartbeatBody(@NotNull String requestId, @Min(0) @Nullable Long fencingToken) implements Body {}

  record ForceReleaseBody(@NotNull String reason, @Nullable String requestId) implements Body {}

  /** All locks, with the lateness of heartbeats for those that this service holds. */
  @Needs(Role.VIEWER)
  @GetMapping
  void all(Query query, HttpServletResponse response) throws IOException {
    query.allow();
    JsonWriter heartbeats = JsonWriter.line().put("heartbeats", JsonWriter.line().put("beats", punctuality.beats())
        .put("worst_lateness_ms", punctuality.worst().toMillis()).put("failures", punctuality.failures())
        .put("failing", punctuality.failing()));
    Json.rows(response, "locks", heartbeats, rows -> rows.addAll(
        locks.list().stream().map(lock -> LockJson.view(lock, locks.waiters(lock.name())).end())));
  }

  @Needs(Role.VIEWER)
  @GetMapping(ONE)
  ResponseEntity<byte[]> one(@PathVariable("name") String name, Query query) {
    query.allow();
    LockView view = locks.view(new LeaseName(name));
    return view.isForTheTaking()
        ? LockProblems.notFound(view.name()).answer()
        : Json.ok(withHeartbeats(view.name(), LockJson.view(view, locks.waiters(view.name()))));
  }

  /** The heartbeat counts of a lock that this service holds for a run. */
  private JsonWriter withHeartbeats(LeaseName name, JsonWriter lock) {
    punctuality.of(name).ifPresent(counts -> lock.put("heartbeats", JsonWriter.line().put("beats", counts.beats())
        .put("failures", counts.failures()).put("consecutive_failures", counts.consecutiveFailures())
        .put("last_error", counts.lastError())));
    return lock;
  }

  /**
   * Acquires a lock for the caller. A wait ends when the service stops or the client withdraws its request. A client that
   * disconnects while it waits is noticed only when the answer is written: then it holds the lock, and because it sends no
   * heartbeats, the lock goes stale. Repeating the call with the same {@code request_id} still returns it.
   */
  @Needs(Role.AGENT)
  @PostMapping(ONE)
  ResponseEntity<byte[]> acquire(@PathVariable("name") String name, AcquireBody body, Caller caller) {
    Optional<RequestId> given = Optional.ofNullable(body.requestId()).map(RequestId::new);
    RequestId requestId = given.orElseGet(() -> RequestId.random(random));
    Holder holder = new Holder(caller.name(), Objects.requireNonNullElse(body.intent(), "manual"),
        Objects.requireNonNullElse(body.intentVersion(), "none"), host.id(), host.pid());
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
        caller.actor());
    long waitSeconds = Objects.requireNonNullElse(body.waitSeconds(), 0L);
    if (waitSeconds == 0) {
      return LockProblems.answer(request.name(), locks.acquire(request));
    }
    Duration limit = Duration.ofSeconds(waitSeconds);
    var outcome = endings.during(place(request.name()), requestId, caller, cancellation -> locks.acquire(request,
        new Wait(limit, scheduler, (_, _, _) -> {}, cancellation)), granted -> giveBack(request, granted));
    return LockProblems.answer(request.name(), outcome, limit, endings.isClosing());
  }

  /** Keeps the lock if the request already held it before the wait. */
  private void giveBack(AcquireRequest request, WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome) {
    if (outcome instanceof WaitOutcome.Answered(AcquireOutcome.Granted(HeldLease held, var _))) {
      locks.release(request.actor(), request.name(), request.owner(), held.lease().token(), Result.ABORTED, null);
    }
  }

  /** Ends a client's wait. The waiting call answers that it was withdrawn, or with a lock granted just before. */
  @Needs(Role.AGENT)
  @DeleteMapping(ONE + "/waiters/{request_id}")
  ResponseEntity<byte[]> withdraw(@PathVariable("name") String name, @PathVariable(REQUEST_ID) String requestId,
      Query query, Caller caller) {
    query.allow();
    LeaseName lock = new LeaseName(name);
    RequestId by = new RequestId(requestId);
    return endings.withdraw(place(lock), by, caller)
        ? Json.ok(JsonWriter.line().put("lock_name", name).put(REQUEST_ID, requestId).put("withdrawn", true))
        : LockProblems.notWaiting(lock, by).answer();
  }

  @Needs(Role.AGENT)
  @PostMapping(ONE + "/heartbeat")
  ResponseEntity<byte[]> heartbeat(@PathVariable("name") String name, HeartbeatBody body, Caller caller) {
    LeaseName lock = new LeaseName(name);
    caller.requireLock(lock.value());
    RequestId by = new RequestId(body.requestId());
    FencingToken token = new FencingToken(Objects.requireNonNullElse(body.fencingToken(), 0L));
    RenewOutcome outcome = locks.renew(caller.actor(), lock, owner(by, caller), token);
    if (outcome instanceof RenewOutcome.Taken(Lease holder)) {
      requireOwn(holder, by, caller, "keep alive");
    }
    return LockProblems.answer(lock, by, outcome);
  }

  @Needs(Role.AGENT)
  @DeleteMapping(ONE)
  ResponseEntity<byte[]> release(@PathVariable("name") String name, Query query, Caller caller) {
    query.allow(REQUEST_ID, Metadata.TOKEN, "result", "failure_step");
    LeaseName lock = new LeaseName(name);
    RequestId by = new RequestId(query.required(REQUEST_ID));
    Result result = query.text("result").map(LockController::result).orElse(Locks.Result.SUCCESS);
    ReleaseOutcome outcome = locks.release(caller.actor(), lock, owner(by, caller), token(query), result,
        query.text("failure_step").orElse(null));
    if (outcome instanceof ReleaseOutcome.NotOwner(Lease holder)) {
      requireOwn(holder, by, caller, "give back");
    }
    return LockProblems.answer(lock, locks.pathOf(lock), outcome);
  }

  @Needs(Role.OPERATOR)
  @PostMapping(ONE + "/force-release")
  ResponseEntity<byte[]> forceRelease(@PathVariable("name") String name, ForceReleaseBody body, Caller caller) {
    LeaseName lock = new LeaseName(name);
    String reason = body.reason();
    if (reason.isBlank() || reason.length() > MAX_REASON) {
      throw Problems.invalid("reason", "'reason' must say why in 1 to " + MAX_REASON + " characters",
          "the reason goes to the audit log");
    }
    RequestId requestId = body.requestId() == null ? RequestId.random(random) : new RequestId(body.requestId());
    return LockProblems.answer(lock, locks.pathOf(lock),
        locks.forceRelease(caller.actor(), lock, requestId, reason));
  }

  /** The owner as whom a caller renews or releases. Request ids are public, so only an operator is exempt from the actor check. */
  private static Owner owner(RequestId by, Caller caller) {
    return caller.role().covers(Role.OPERATOR) ? Owner.ofAnyActor(by) : new Owner(by, caller.name());
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

  private static FencingToken token(Query query) {
    return query.text(Metadata.TOKEN).map(text -> {
      if (!text.matches("\\d{1,18}")) {
        throw Problems.invalid(Metadata.TOKEN, "'" + Metadata.TOKEN + "' must be a whole number",
            "use the number returned with the lock, or omit it to skip the comparison");
      }
      return new FencingToken(Long.parseLong(text));
    }).orElse(FencingToken.NONE);
  }

  private static Result result(String text) {
    return Optional.of(text.toUpperCase(Locale.ROOT)).filter(name -> text.matches("success|failure|aborted"))
        .map(Result::valueOf).orElseThrow(() -> Problems.invalid("result",
            "'result' must be success, failure or aborted", "correct the value or omit 'result'"));
  }
}
