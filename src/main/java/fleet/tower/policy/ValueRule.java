package fleet.tower.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Values;
import fleet.tower.lock.Halt;

/**
 * A rule on the values of parameters.
 *
 * @param params the limits by parameter; an intent without the parameter is not limited
 * @param except the roles that it does not limit
 */
public record ValueRule(String name, Halt.Scope scope, Map<String, Parameter.Limits> params, Set<Role> except) {
  public ValueRule {
    params = Map.copyOf(params);
    except = Set.copyOf(except);
  }

  /** Its limits in words, as {@code replicas at most 10; not for operator}. */
  public String describe() {
    List<String> parts = new ArrayList<>();
    new TreeMap<>(params).forEach((name, limits) -> parts.add(name + " " + describe(limits)));
    String all = String.join(", ", parts);
    return except.isEmpty()
        ? all
        : all + "; not for " + String.join(", ", except.stream().map(Role::toString).sorted().toList());
  }

  private static String describe(Parameter.Limits limits) {
    List<String> parts = new ArrayList<>();
    if (limits.minimum() != null) {
      parts.add("at least " + limits.minimum());
    }
    if (limits.maximum() != null) {
      parts.add("at most " + limits.maximum());
    }
    if (!limits.allowed().isEmpty()) {
      parts.add("one of " + String.join(", ", limits.allowed()));
    }
    if (limits.pattern() != null) {
      parts.add("matches " + limits.pattern());
    }
    return parts.isEmpty() ? "any value" : String.join(" and ", parts);
  }

  /** Whether it limits a caller; a schedule has no role. */
  boolean limits(@Nullable Role role) {
    return role == null || !except.contains(role);
  }

  /** The values that it does not allow, in the order of the intent's parameters. */
  List<Values.Problem> problems(List<Parameter> declared, Map<String, String> values) {
    List<Values.Problem> problems = new ArrayList<>();
    for (Parameter param : declared) {
      Parameter.Limits limits = params.get(param.name());
      String value = values.get(param.name());
      if (limits != null && value != null) {
        limited(param, limits, value).ifPresent(problem -> problems.add(problem));
      }
    }
    return problems;
  }

  private static Optional<Values.Problem> limited(Parameter param, Parameter.Limits limits, String value) {
    Parameter limited = new Parameter(param.name(), param.type(), param.required(), param.defaultValue(),
        param.secret(), limits, param.description());
    return Values.problem(limited, new Values.Given(value, Values.Given.Kind.WORD))
        .map(message -> new Values.Problem("/params/" + param.name(), message));
  }
}
