package fleet.tower.policy;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import fleet.tower.access.Digests;
import fleet.tower.access.Forbidden;
import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditListener;
import fleet.tower.audit.Origin;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltRequest;
import fleet.tower.lock.Halts;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.TimeSource;

/**
 * Halts actors whose requests are refused too often, by the rules of the policy. It listens to the audit log, which has
 * the refusals of every door:
 *
 * <ol>
 * <li>A refusal is recorded for its actor, as the door knows it, and for no one for whom it claims to act.
 * <li>If as many are recorded as a rule allows, the halt is placed. Of several processes that do so at once, one places
 * it, because the others would place the same.
 * <li>Then the refusals are forgotten, and none is recorded while the halt is in force: once it is lifted or over, the
 * rule counts from zero.
 * </ol>
 */
public final class Containment implements AuditListener {
  /** The actor of the halts. No token has this name. */
  public static final String ACTOR = "policy";
  private static final int DIGEST = 16;
  private static final Set<String> ERRORS = Stream.of(ErrorCode.WINDOW_CLOSED, ErrorCode.QUOTA_EXCEEDED,
      ErrorCode.PARAMS_NOT_ALLOWED).map(ErrorCode::code).collect(Collectors.toUnmodifiableSet());
  /** Without those whose tokens give no right at all. */
  private static final Set<String> REASONS = EnumSet.complementOf(EnumSet.of(Forbidden.Reason.NO_ROLE)).stream()
      .map(Forbidden.Reason::toString).collect(Collectors.toUnmodifiableSet());

  private final Supplier<PolicyRules> rules;
  private final Supplier<RefusalStore> refusals;
  private final Supplier<Halts> halts;
  private final TimeSource time;
  private final RandomGenerator random;
  private final Consumer<String> warnings;

  /** @param warnings receives why a refusal could not be counted */
  public Containment(Supplier<PolicyRules> rules, Supplier<RefusalStore> refusals, Supplier<Halts> halts,
      TimeSource time, RandomGenerator random, Consumer<String> warnings) {
    this.rules = rules;
    this.refusals = refusals;
    this.halts = halts;
    this.time = time;
    this.random = random;
    this.warnings = warnings;
  }

  @Override
  public void written(AuditEvent event) {
    Origin origin = event.origin();
    if (origin == null || !counts(event)) {
      return;
    }
    String actor = origin.actor().name();
    if (actor.contains("*")) {
      return; // It would be a pattern, and halt others.
    }
    try {
      for (ContainRule rule : rules.get().containing(Halt.Subject.of(origin.actor(), null, null))) {
        count(rule, actor);
      }
    } catch (StorageException | InvalidValue e) {
      warnings.accept("a refused request of " + InvalidValue.shown(actor) + " was not counted: " + e.getMessage());
    }
  }

  @Override
  public void lost(AuditEvent event) {
    written(event);
  }

  @Override
  public void omitted(AuditEvent event) {
    written(event);
  }

  /** What halts refuse does not count, or a halt would prolong itself. */
  private static boolean counts(AuditEvent event) {
    return (event instanceof AuditEvent.LockBlocked blocked && ERRORS.contains(blocked.error()))
        || (event instanceof AuditEvent.RunRefused refused && ERRORS.contains(refused.error()))
        || (event instanceof AuditEvent.AccessDenied denied && REASONS.contains(denied.reason()));
  }

  private void count(ContainRule rule, String actor) {
    List<Halt> inForce = halts.get().inForce().halts();
    Halt.Scope scope = Halt.Scope.of(List.of(actor), List.of(), List.of());
    List<String> names = names(rule, actor);
    if (inForce.stream().anyMatch(halt -> names.contains(halt.name()) && halt.scope().equals(scope))) {
      return;
    }
    Quota.Rate limit = rule.refusals();
    if (refusals.get().add(rule.name(), actor, time.now(), limit.within()) >= limit.most()) {
      halts.get().place(new HaltRequest(free(names, inForce), RequestId.random(random), scope, rule.level(), ACTOR,
          null, "rule " + rule.name() + " of the policy: " + rule.count(), rule.length()), null);
      refusals.get().forget(rule.name(), actor);
    }
  }

  /** The names that the halt may have: the plain one, if it is one, or else one with a digest. */
  private static List<String> names(ContainRule rule, String actor) {
    String prefix = "contain-" + rule.name() + "-";
    return Stream.of(prefix + actor, prefix + Digests.of(actor).substring(0, DIGEST)).filter(LeaseName::isValid)
        .toList();
  }

  private static String free(List<String> names, List<Halt> inForce) {
    return names.stream().filter(name -> inForce.stream().noneMatch(halt -> halt.name().equals(name))).findFirst()
        .orElse(names.getLast());
  }
}
