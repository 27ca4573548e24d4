package fleet.tower.access;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.platform.text.Wildcards;

/**
 * Intents that a token may run, and the parameter values with which it may run them.
 *
 * @param params the allowed values by parameter; every other parameter may have any value
 */
public record AllowedIntents(NamePattern name, Map<String, List<ValuePattern>> params) {
  public AllowedIntents {
    Map<String, List<ValuePattern>> copy = new TreeMap<>();
    params.forEach((param, values) -> {
      if (!param.matches("[a-z][a-z0-9_]{0,63}") || values.isEmpty()) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST, "parameter " + InvalidValue.shown(param)
            + " must be the name of a parameter (a-z, 0-9 and _, beginning with a letter) with at least one value;"
            + " for example environment=staging");
      }
      copy.put(param, List.copyOf(values));
    });
    params = Collections.unmodifiableMap(copy);
  }

  /** Matching intents with any parameter values. */
  public static AllowedIntents any(NamePattern name) {
    return new AllowedIntents(name, Map.of());
  }

  /**
   * Whether a run is allowed. A restricted parameter that has no value, neither given nor by default, is not: the
   * intent would choose the value.
   *
   * @param values the values of the run, defaults included
   */
  boolean covers(String intent, Map<String, String> values) {
    return name.matches(intent) && params.entrySet().stream().allMatch(entry -> {
      String value = values.get(entry.getKey());
      return value != null && entry.getValue().stream().anyMatch(pattern -> pattern.matches(value));
    });
  }

  /** The restricted parameters in words: {@code environment staging or test}; empty if there are none. */
  public String limits() {
    return params.entrySet().stream().map(entry -> entry.getKey() + " "
        + String.join(" or ", entry.getValue().stream().map(ValuePattern::text).toList()))
        .collect(Collectors.joining(", "));
  }

  @Override
  public String toString() {
    return params.isEmpty() ? name.text() : name + " (" + limits() + ")";
  }

  /** A pattern of parameter values, with {@code *} for any characters: {@code staging} or {@code team-a-*}. */
  public record ValuePattern(String text) {
    private static final int MAX_LENGTH = 256;

    public ValuePattern {
      if (text.length() > MAX_LENGTH || !VisibleText.isPlain(text)) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST, "value pattern " + InvalidValue.shown(text)
            + " must have at most " + MAX_LENGTH + " printable characters; for example staging or team-a-*");
      }
    }

    /** Whether a value, as written, matches. */
    public boolean matches(String value) {
      return Wildcards.matches(text, value);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
