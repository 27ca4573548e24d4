package fleet.tower.run.submit;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;
import fleet.tower.run.Run;
import fleet.tower.run.execute.LockTerms;

/**
 * A request to run an intent.
 *
 * @param requestId the id of the run; null for a new one
 * @param idempotencyKey a key that identifies a repeated request, besides the id; null for none
 * @param plan the hash of the plan that the run must carry out; null for any. It does not identify the request.
 * @param reason why the run is requested, for the audit log; null for none. It does not identify the request.
 * @param role the role of the caller, which rules on values may except; null for none
 * @param principal the person or program that the caller is, whatever its name; null if it is what its name says
 */
public record RunRequest(String intent, Map<String, Values.Given> params, @Nullable RequestId requestId,
    @Nullable String idempotencyKey, Run.Origin origin, LockTerms terms, @Nullable PlanHash plan,
    @Nullable String reason, @Nullable Role role, @Nullable String principal) {
  public RunRequest {
    params = Map.copyOf(params);
  }

  /** A request of a caller without a role. */
  public RunRequest(String intent, Map<String, Values.Given> params, @Nullable RequestId requestId,
      @Nullable String idempotencyKey, Run.Origin origin, LockTerms terms, @Nullable PlanHash plan,
      @Nullable String reason) {
    this(intent, params, requestId, idempotencyKey, origin, terms, plan, reason, null, null);
  }

  /** Whether it cannot have come before, because nothing identifies it. */
  boolean isNew() {
    return requestId == null && idempotencyKey == null;
  }

  /** The same request, only for a run that carries out the plan with this hash; null for any. */
  public RunRequest requiring(@Nullable PlanHash hash) {
    return new RunRequest(intent, params, requestId, idempotencyKey, origin, terms, hash, reason, role, principal);
  }

  /** The same request under an id. */
  RunRequest withId(RequestId id) {
    return new RunRequest(intent, params, id, idempotencyKey, origin, terms, plan, reason, role, principal);
  }

  /** The same request of a caller with a role. */
  public RunRequest of(Role caller, String who) {
    return new RunRequest(intent, params, requestId, idempotencyKey, origin, terms, plan, reason, caller, who);
  }

  /** Who requests it, and for whom. */
  Set<String> requesters() {
    Actor actor = origin.actor();
    String who = principal == null ? actor.name() : principal;
    return actor.onBehalfOf() == null ? Set.of(who) : Set.copyOf(List.of(who, actor.onBehalfOf()));
  }

  /** The same request, which waits no longer than this. */
  RunRequest waitingAtMost(Duration limit) {
    return terms.patience().compareTo(limit) <= 0
        ? this
        : new RunRequest(intent, params, requestId, idempotencyKey, origin, new LockTerms(terms.force(), limit), plan,
            reason, role, principal);
  }

  /** The same request for another intent, with other parameters. */
  public RunRequest running(String other, Map<String, Values.Given> others) {
    return new RunRequest(other, others, requestId, idempotencyKey, origin, terms, plan, reason, role, principal);
  }

  /** The same request with other parameters. */
  RunRequest with(Map<String, Values.Given> others) {
    return running(intent, others);
  }

  /** The same request with a reason. */
  public RunRequest because(@Nullable String why) {
    return new RunRequest(intent, params, requestId, idempotencyKey, origin, terms, plan, why, role, principal);
  }
}
