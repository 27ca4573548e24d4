package fleet.tower.intent;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;

/** The values of an intent's parameters for one run, as written. */
public final class Values {
  private static final int MAX_LENGTH = 16_384;
  private static final int MAX_READS = 2_000_000;
  private static final Pattern INTEGER = Pattern.compile("-?(?:0|[1-9]\\d{0,17})");
  private static final Pattern NUMBER = Pattern
      .compile("-?(?:0|[1-9]\\d{0,30})(?:\\.\\d{1,30})?(?:[eE][+-]?\\d{1,3})?");

  private final Map<String, String> texts;
  private final List<String> secrets;

  private Values(Map<String, String> texts, List<String> secrets) {
    this.texts = Collections.unmodifiableMap(texts);
    this.secrets = List.copyOf(secrets);
  }

  /** A value as given by the caller. */
  public record Given(String text, Kind kind) {
    /** A value of a JSON object, as written: {@code 1.0} stays {@code 1.0}. */
    public static Given of(JsonValue value) {
      return switch (value) {
        case JsonValue.Text text -> new Given(text.value(), Kind.STRING);
        case JsonValue.Numeral number -> new Given(number.literal(), Kind.NUMBER);
        case JsonValue.Bool flag -> new Given(Boolean.toString(flag.value()), Kind.BOOLEAN);
        case JsonValue.Null _,JsonValue.Items _,JsonObject _ -> new Given("", Kind.OTHER);
      };
    }

    /** The type of a given value. */
    public enum Kind {
      /** From a command line: a text that may represent any type. */
      WORD, STRING, NUMBER, BOOLEAN,
      /** A list, an object, or null; never a valid parameter value. */
      OTHER
    }
  }

  /** A rejected value: a JSON pointer to it and the reason, which never repeats a secret. */
  public record Problem(String pointer, String message) {
    /** Several of them, in words. */
    public static String sentence(List<Problem> problems) {
      return String.join("; ", problems.stream().map(it -> it.pointer() + " " + it.message()).toList());
    }
  }

  /** The result of reading values: either all values or all problems. */
  public sealed interface ReadOutcome {}

  /** All values are valid. */
  public record Accepted(Values values) implements ReadOutcome {}

  /** The problems, in the order of the parameters, unknown names last. */
  public record Rejected(List<Problem> problems) implements ReadOutcome {}

  /** Checks the given values against the parameters and adds the defaults. */
  public static ReadOutcome read(List<Parameter> params, Map<String, Given> given) {
    List<Problem> problems = new ArrayList<>();
    Map<String, String> texts = new LinkedHashMap<>();
    List<String> secrets = new ArrayList<>();
    for (Parameter param : params) {
      Given value = given.get(param.name());
      String text = value == null ? param.defaultValue() : value.text();
      Optional<String> problem = value == null ? missing(param) : problem(param, value);
      problem.ifPresent(message -> problems.add(new Problem("/params/" + param.name(), message)));
      if (text != null) {
        texts.put(param.name(), text);
        if (param.secret() && !text.isEmpty()) {
          secrets.add(text);
        }
      }
    }
    for (String name : new TreeSet<>(given.keySet())) {
      if (params.stream().noneMatch(param -> param.name().equals(name))) {
        problems.add(new Problem("/params/" + name.replace("~", "~0").replace("/", "~1"),
            "unknown parameter; the intent has " + names(params)));
      }
    }
    return problems.isEmpty() ? new Accepted(new Values(texts, secrets)) : new Rejected(List.copyOf(problems));
  }

  /** The problem with a given value, if it is invalid. */
  public static Optional<String> problem(Parameter param, Given given) {
    String text = given.text();
    if (given.kind() == Given.Kind.OTHER || !isKind(param.type(), given.kind())) {
      return Optional.of("must be " + article(param.type()) + ", written " + example(param.type()));
    }
    if (text.length() > MAX_LENGTH) {
      return Optional.of("has " + text.length() + " characters; at most " + MAX_LENGTH + " are allowed");
    }
    if (text.indexOf('\0') >= 0 || !isWellFormed(text)) {
      return Optional.of("contains a character that cannot be passed to a program (NUL or an unpaired surrogate)");
    }
    return Optional.ofNullable(typeProblem(param, text)).or(() -> limitProblem(param, text));
  }

  private static Optional<String> missing(Parameter param) {
    return param.required() && param.defaultValue() == null ? Optional.of("is required") : Optional.empty();
  }

  private static boolean isKind(Parameter.Type type, Given.Kind kind) {
    return kind == Given.Kind.WORD || switch (type) {
      case STRING -> kind == Given.Kind.STRING;
      case INTEGER, NUMBER -> kind == Given.Kind.NUMBER;
      case BOOLEAN -> kind == Given.Kind.BOOLEAN;
    };
  }

  private static boolean isWellFormed(String text) {
    return text.codePoints().noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
  }

  private static @Nullable String typeProblem(Parameter param, String text) {
    boolean fits = switch (param.type()) {
      case STRING -> true;
      case INTEGER -> INTEGER.matcher(text).matches();
      case NUMBER -> NUMBER.matcher(text).matches();
      case BOOLEAN -> text.equals("true") || text.equals("false");
    };
    return fits ? null : "must be " + article(param.type()) + ", written " + example(param.type()) + shown(param, text);
  }

  private static Optional<String> limitProblem(Parameter param, String text) {
    Parameter.Limits limits = param.limits();
    if (!limits.allowed().isEmpty() && !limits.allowed().contains(text)) {
      return Optional.of("must be one of " + String.join(", ", limits.allowed()) + shown(param, text));
    }
    Optional<String> mismatch = limits.pattern() == null ? Optional.empty() : mismatch(limits.pattern(), param, text);
    if (mismatch.isPresent()) {
      return mismatch;
    }
    if (limits.minimum() != null && new BigDecimal(text).compareTo(limits.minimum()) < 0) {
      return Optional.of("must be at least " + limits.minimum() + shown(param, text));
    }
    if (limits.maximum() != null && new BigDecimal(text).compareTo(limits.maximum()) > 0) {
      return Optional.of("must be at most " + limits.maximum() + shown(param, text));
    }
    return Optional.empty();
  }

  private static Optional<String> mismatch(Pattern pattern, Parameter param, String text) {
    return switch (new LimitedMatch(MAX_READS).of(pattern, text)) {
      case MATCHES -> Optional.empty();
      case DIFFERS -> Optional.of("must match " + pattern + shown(param, text));
      case TAKES_TOO_LONG -> Optional.of("takes too long to match against " + pattern
          + "; give a shorter value, or simplify the intent's pattern" + shown(param, text));
    };
  }

  private static String shown(Parameter param, String text) {
    return param.secret() ? "" : ", not '" + (text.length() > 40 ? text.substring(0, 40) + "…" : text) + "'";
  }

  private static String article(Parameter.Type type) {
    return (type == Parameter.Type.INTEGER ? "an " : "a ") + type;
  }

  private static String example(Parameter.Type type) {
    return switch (type) {
      case STRING -> "in quotes";
      case INTEGER -> "like 42";
      case NUMBER -> "like 1.5";
      case BOOLEAN -> "true or false";
    };
  }

  private static String names(List<Parameter> params) {
    return params.isEmpty() ? "none" : String.join(", ", params.stream().map(Parameter::name).toList());
  }

  /** The value of a parameter; empty if it has none. */
  public String text(String param) {
    return texts.getOrDefault(param, "");
  }

  /** The values by parameter name, in the order of the intent. */
  public Map<String, String> texts() {
    return texts;
  }

  /** The values of the secret parameters. */
  public List<String> secrets() {
    return secrets;
  }
}
