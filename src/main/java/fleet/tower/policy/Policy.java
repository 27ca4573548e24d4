package fleet.tower.policy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.approval.ApprovalRule;
import fleet.tower.intent.Effect;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Values;
import fleet.tower.lease.Decision;
import fleet.tower.lock.Halt;
import fleet.tower.platform.time.Timestamps;

/** What an operator allows: rules on when something may begin, and on the values of parameters. */
public record Policy(Mode mode, List<EffectRule> effects, List<ApprovalNeed> approvals, List<Quota> quotas,
    List<TimeRule> windows, List<ValueRule> values, List<ContainRule> containments) {
  /** No rules. */
  public static final Policy NONE = new Policy(Mode.ENFORCE, List.of(), List.of());
  /** A bound for rules that close one after another without an end. */
  private static final int MAX_CHANGES = 1000;

  /** What happens to a request that a rule is against. */
  public enum Mode {
    /** It is refused. */
    ENFORCE,
    /** It goes on, and the audit log records that it would have been refused. */
    OBSERVE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public Policy {
    effects = List.copyOf(effects);
    approvals = List.copyOf(approvals);
    quotas = List.copyOf(quotas);
    windows = List.copyOf(windows);
    values = List.copyOf(values);
    containments = List.copyOf(containments);
  }

  /**
   * A rule that runs must be approved.
   *
   * @param scope what it covers
   * @param effect it covers only what is as hard to undo as this, or harder
   */
  public record ApprovalNeed(String name, Halt.Scope scope, Effect effect, ApprovalRule rule) {
    /** A rule for runs whatever they do. */
    public ApprovalNeed(String name, Halt.Scope scope, ApprovalRule rule) {
      this(name, scope, Effect.NONE, rule);
    }
  }

  /** What an operator says about how what runs do can be undone. The one that is harder to undo counts. */
  public record EffectRule(String name, Halt.Scope scope, Effect effect) {}

  /** A policy that contains no one. */
  public Policy(Mode mode, List<EffectRule> effects, List<ApprovalNeed> approvals, List<Quota> quotas,
      List<TimeRule> windows, List<ValueRule> values) {
    this(mode, effects, approvals, quotas, windows, values, List.of());
  }

  /** A policy without quotas. */
  public Policy(Mode mode, List<ApprovalNeed> approvals, List<TimeRule> windows, List<ValueRule> values) {
    this(mode, List.of(), approvals, List.of(), windows, values);
  }

  /** A policy of windows and rules on values alone. */
  public Policy(Mode mode, List<TimeRule> windows, List<ValueRule> values) {
    this(mode, List.of(), windows, values);
  }

  /** How what a run does can be undone. An intent's own word cannot make less of it than the operator's. */
  public Effect effect(Halt.Subject subject, Intent intent) {
    List<Effect> covering = effects.stream().filter(it -> it.scope().covers(subject)).map(EffectRule::effect).toList();
    Effect own = intent.effect() == Effect.UNKNOWN && !covering.isEmpty() ? Effect.NONE : intent.effect();
    return own.and(Effect.ofAll(covering.stream()));
  }

  /** The rules that a run must be approved. */
  public List<ApprovalNeed> approvals(Halt.Subject subject, Intent intent, Map<String, String> values) {
    Effect effect = effect(subject, intent);
    return approvals.stream().filter(it -> it.scope().covers(subject) && effect.isAtLeast(it.effect())
        && it.rule().applies(values)).toList();
  }

  /** A rule that is against a request. */
  public sealed interface Objection {
    /** The name of the rule. */
    String rule();

    /** Why the rule is against it, in a few words without a secret. */
    default String text() {
      return switch (this) {
        case Closed(Decision.WindowClosed(String _, String reason, Instant opensAt)) -> reason
            + (opensAt == null ? "" : "; it opens at " + Timestamps.format(opensAt));
        case NotAllowed(String _, List<Values.Problem> problems) -> String.join("; ",
            problems.stream().map(it -> it.pointer().substring("/params/".length()) + " " + it.message()).toList());
      };
    }

    /** The kind of the rule, in one word. */
    default String kind() {
      return switch (this) {
        case Closed _ -> "window";
        case NotAllowed _ -> "values";
      };
    }
  }

  /** It is not the time for it. */
  public record Closed(Decision.WindowClosed why) implements Objection {
    @Override
    public String rule() {
      return why.window();
    }
  }

  /** Its parameters have other values than may be given. */
  public record NotAllowed(String rule, List<Values.Problem> problems) implements Objection {
    public NotAllowed {
      problems = List.copyOf(problems);
    }
  }

  /**
   * The parameters of a request.
   *
   * @param declared those of the intent
   * @param values all values, defaults included
   * @param role the caller's; null for none
   */
  public record Parameters(List<Parameter> declared, Map<String, String> values, @Nullable Role role) {
    public Parameters {
      declared = List.copyOf(declared);
      values = Map.copyOf(values);
    }
  }

  /** The quotas that cover a request. */
  public List<Quota> quotas(Halt.Subject subject) {
    return quotas.stream().filter(quota -> quota.scope().covers(subject)).toList();
  }

  /** All objections to a request at a moment. */
  public List<Objection> objections(Halt.Subject subject, @Nullable Parameters parameters, Instant now) {
    List<Objection> objections = new ArrayList<>();
    closed(subject, now).map(Closed::new).ifPresent(objections::add);
    if (parameters != null) {
      objections.addAll(notAllowed(subject, parameters));
    }
    return objections;
  }

  /** The objections to the parameters of a request. */
  public List<NotAllowed> notAllowed(Halt.Subject subject, Parameters parameters) {
    List<NotAllowed> objections = new ArrayList<>();
    for (ValueRule rule : values) {
      List<Values.Problem> problems = rule.scope().covers(subject) && rule.limits(parameters.role())
          ? rule.problems(parameters.declared(), parameters.values())
          : List.of();
      if (!problems.isEmpty()) {
        objections.add(new NotAllowed(rule.name(), problems));
      }
    }
    return objections;
  }

  /** Why it is not the time for something; empty if it is. */
  public Optional<Decision.WindowClosed> closed(Halt.Subject subject, Instant now) {
    List<TimeRule> covering = windows.stream().filter(rule -> rule.scope().covers(subject)).toList();
    return against(covering, now).map(rule -> new Decision.WindowClosed(rule.name(), rule.reason(),
        opening(covering, now).orElse(null)));
  }

  /** The first rule that is against a moment. Of rules that open, one that does so suffices. */
  private static Optional<TimeRule> against(List<TimeRule> rules, Instant moment) {
    Optional<TimeRule> closing = rules.stream().filter(rule -> !rule.opens() && rule.window().covers(moment))
        .findFirst();
    List<TimeRule> opening = rules.stream().filter(TimeRule::opens).toList();
    return closing.isPresent() || opening.isEmpty()
        || opening.stream().anyMatch(rule -> rule.window().covers(moment))
            ? closing
            : Optional.of(opening.getFirst());
  }

  /** The first moment after which no rule is against it; empty if none was found. */
  private static Optional<Instant> opening(List<TimeRule> rules, Instant from) {
    Instant moment = from;
    for (int changes = 0; changes < MAX_CHANGES; changes++) {
      Instant at = moment;
      Optional<TimeRule> against = against(rules, at);
      if (against.isEmpty()) {
        return Optional.of(at);
      }
      Optional<Instant> next = against.get().opens()
          ? rules.stream().filter(TimeRule::opens).flatMap(rule -> rule.window().beginAfter(at).stream())
              .min(Instant::compareTo)
          : against.get().window().end(at);
      if (next.isEmpty()) {
        return Optional.empty();
      }
      moment = next.get();
    }
    return Optional.empty();
  }
}
