package fleet.tower.policy;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.ApprovalRule;
import fleet.tower.approval.ApprovalTerms;
import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.intent.Effect;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.GrantRules;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HoldLimit;
import fleet.tower.lock.LockView;
import fleet.tower.platform.time.TimeSource;

/**
 * Applies the policy of a home to what is about to begin. A policy that cannot be read is a halt of everything: see
 * {@link #halts}.
 */
public final class PolicyRules implements GrantRules {
  private static final String NAME = "policy";

  private final PolicySource source;
  private final AuditLog audit;
  private final TimeSource time;

  public PolicyRules(PolicySource source, AuditLog audit, TimeSource time) {
    this.source = source;
    this.audit = audit;
    this.time = time;
  }

  /** The halt of everything that a policy is which cannot be read. */
  public HaltSource halts() {
    return new HaltSource() {
      @Override
      public InForce inForce() {
        return new InForce(List.of(), unreadable().stream().toList());
      }
    };
  }

  /** Reads the policy again, before something begins that was judged by it earlier. */
  public void settle() {
    source.settle();
  }

  private Optional<HaltSource.Unreadable> unreadable() {
    return source.now() instanceof PolicySource.Invalid(String problem)
        ? Optional.of(new HaltSource.Unreadable(NAME, "the policy", problem, time.now()))
        : Optional.empty();
  }

  @Override
  public Optional<Decision.Barred> refusal(Halt.Subject subject) {
    Policy policy = policy();
    return policy.mode() == Policy.Mode.ENFORCE
        ? unreadable().<Decision.Barred>map(HaltSource.Unreadable::refusal).or(() -> policy.closed(subject, time.now()))
        : Optional.empty();
  }

  @Override
  public List<HoldLimit> limits(Halt.Subject subject) {
    return ofLocks(quotas(subject));
  }

  private static List<HoldLimit> ofLocks(List<Quota> quotas) {
    return quotas.stream().flatMap(quota -> quota.ofLocks().stream()).toList();
  }

  @Override
  public void observe(AcquireRequest request, Supplier<List<LockView>> held) {
    Origin origin = Origin.of(request.actor(), request.holder());
    Halt.Subject subject = request.subject();
    if (request.owner().kind() == Owner.Kind.CLIENT) {
      observe(request.requestId(), subject, null, origin);
    }
    HoldLimit.reached(ofLocks(observedQuotas(subject)), request.holder().actor(), request.name(), held)
        .ifPresent(reached -> observeQuota(request.requestId(), subject, reached.quota(), origin));
  }

  /**
   * The first objection to a request, as long as it is enforced; others are recorded.
   *
   * @param parameters those of a run; null for a lock
   */
  public Optional<Policy.Objection> objection(RequestId requestId, Halt.Subject subject,
      Policy.@Nullable Parameters parameters, Origin origin) {
    Policy policy = policy();
    if (policy.mode() == Policy.Mode.ENFORCE) {
      return policy.objections(subject, parameters, time.now()).stream().findFirst();
    }
    observe(requestId, subject, parameters, origin);
    return Optional.empty();
  }

  /** The first objection to the parameters of a run that was judged earlier; empty if the policy is only observed. */
  public Optional<Policy.NotAllowed> notAllowed(Halt.Subject subject, Policy.Parameters parameters) {
    Policy policy = policy();
    return policy.mode() == Policy.Mode.ENFORCE
        ? policy.notAllowed(subject, parameters).stream().findFirst()
        : Optional.empty();
  }

  /** The quotas that a run must not exceed. */
  public List<Quota> quotas(Halt.Subject subject) {
    Policy policy = policy();
    return policy.mode() == Policy.Mode.ENFORCE ? policy.quotas(subject) : List.of();
  }

  /** The quotas of a policy that is only observed. */
  public List<Quota> observedQuotas(Halt.Subject subject) {
    Policy policy = policy();
    return policy.mode() == Policy.Mode.OBSERVE ? policy.quotas(subject) : List.of();
  }

  /** The rules by which an actor is halted, unless the policy is only observed. */
  List<ContainRule> containing(Halt.Subject subject) {
    Policy policy = policy();
    return policy.mode() == Policy.Mode.ENFORCE
        ? policy.containments().stream().filter(rule -> rule.scope().covers(subject)).toList()
        : List.of();
  }

  /** Records that a request would have exceeded a quota. */
  public void observeQuota(RequestId requestId, Halt.Subject subject, String quota, Origin origin) {
    audit.append(new AuditEvent.WouldRefuse(requestId, time.now(), lockOf(subject), quota, "quota", origin));
  }

  /**
   * What it takes to approve a run, by the rules of the policy and of its intent; empty if it needs no approval. Of
   * several rules the strictest of each key counts.
   */
  public Optional<ApprovalTerms> approval(Halt.Subject subject, Intent intent, Map<String, String> values) {
    Policy policy = policy();
    return policy.mode() == Policy.Mode.OBSERVE
        ? Optional.empty()
        : Stream.concat(own(intent, values),
            policy.approvals(subject, intent, values).stream().map(Policy.ApprovalNeed::rule)).map(ApprovalRule::terms)
            .reduce(ApprovalTerms::and);
  }

  private static Stream<ApprovalRule> own(Intent intent, Map<String, String> values) {
    ApprovalRule own = intent.approve();
    return own != null && own.applies(values) ? Stream.of(own) : Stream.empty();
  }

  /** How what a run does can be undone, by its intent and by the policy. */
  public Effect effect(Halt.Subject subject, Intent intent) {
    return policy().effect(subject, intent);
  }

  /** Records the rules by which a run would have to be approved, if the policy is only observed. */
  public void observeApproval(RequestId requestId, Halt.Subject subject, Intent intent, Map<String, String> values,
      Origin origin) {
    Policy policy = policy();
    if (policy.mode() == Policy.Mode.OBSERVE) {
      Stream.concat(own(intent, values).map(_ -> "intent"),
          policy.approvals(subject, intent, values).stream().map(Policy.ApprovalNeed::name))
          .forEach(rule -> audit.append(new AuditEvent.WouldRefuse(requestId, time.now(), lockOf(subject), rule,
              "approve", origin)));
    }
  }

  private static @Nullable LeaseName lockOf(Halt.Subject subject) {
    return subject.lock() == null ? null : new LeaseName(subject.lock());
  }

  private void observe(RequestId requestId, Halt.Subject subject, Policy.@Nullable Parameters parameters,
      Origin origin) {
    Policy policy = policy();
    if (policy.mode() == Policy.Mode.OBSERVE) {
      Instant now = time.now();
      policy.objections(subject, parameters, now)
          .forEach(objection -> audit.append(new AuditEvent.WouldRefuse(requestId,
              now, lockOf(subject), objection.rule(), objection.kind(), origin)));
    }
  }

  private Policy policy() {
    return source.now() instanceof PolicySource.Known(Policy policy) ? policy : Policy.NONE;
  }
}
