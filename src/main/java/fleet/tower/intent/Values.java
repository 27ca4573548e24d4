package fleet.tower.intent;

import static java.util.Objects.requireNonNull;

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

/** The values of an intent's parameters for one run, each as somebody wrote it. */
public final class Values {
  private static final int MAX_LENGTH = 16_384;
  private static final int MAX_LOOKS = 2_000_000;
  private static final Pattern INTEGER = Pattern.compile("-?(?:0|[1-9]\\d{0,17})");
  private static final Pattern NUMBER = Pattern
      .compile("-?(?:0|[1-9]\\d{0,30})(?:\\.\\d{1,30})?(?:[eE][+-]?\\d{1,3})?");

  private final Map<String, String> texts;
  private final List<String> secrets;

  private Values(Map<String, String> texts, List<String> secrets) {
    this.texts = Collections.unmodifiableMap(texts);
    this.secrets = List.copyOf(secrets);
  }

  /** A value somebody gave. */
  public record Given(String text, Kind kind) {
    public Given {
      requireNonNull(text);
      requireNonNull(kind);
    }

    /** What is known of a value besides its text. */
    public enum Kind {
      /** From a command line, where everything is a text and may be meant as any type. */
      WORD, STRING, NUMBER, BOOLEAN,
      /** A list, an object, or null: nothing a parameter can be. */
      OTHER
    }
  }

  /** A value that was refused: a JSON pointer to it, and why, never repeating a secret. */
  public record Problem(String pointer, String message) {}

  /** Either values or everything that is wrong with what was given. */
  public sealed interface Reading {}

  /** Every parameter that has a value has a good one. */
  public record Good(Values values) implements Reading {}

  /** What is wrong, in the order of the parameters, names that nobody knows at the end. */
  public record Bad(List<Problem> problems) implements Reading {}

  /** Holds what was given against the parameters, and puts in what was left out. */
  public static Reading read(List<Parameter> params, Map<String, Given> given) {
    List<Problem> problems = new ArrayList<>();
    Map<String, String> texts = new LinkedHashMap<>();
    List<String> secrets = new ArrayList<>();
    for (Parameter param : params) {
      Given value = given.get(param.name());
      String text = value == null ? param.fallback() : value.text();
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
            "there is no parameter of this name; the intent has " + names(params)));
      }
    }
    return problems.isEmpty() ? new Good(new Values(texts, secrets)) : new Bad(List.copyOf(problems));
  }

  /** What is wrong with a text as the value of a parameter. */
  public static Optional<String> problem(Parameter param, Given given) {
    String text = given.text();
    if (given.kind() == Given.Kind.OTHER || !isKind(param.type(), given.kind())) {
      return Optional.of("must be " + article(param.type()) + ", written " + example(param.type()));
    }
    if (text.length() > MAX_LENGTH) {
      return Optional.of("has " + text.length() + " characters; at most " + MAX_LENGTH + " are allowed");
    }
    if (text.indexOf('\0') >= 0 || !isWellFormed(text)) {
      return Optional.of("has a character that no program can be given (NUL or half of a surrogate pair)");
    }
    return Optional.ofNullable(typeProblem(param, text)).or(() -> limitProblem(param, text));
  }

  private static Optional<String> missing(Parameter param) {
    return param.required() && param.fallback() == null ? Optional.of("is required") : Optional.empty();
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
    try {
      return pattern.matcher(new Paid(text)).matches()
          ? Optional.empty()
          : Optional.of("must match " + pattern + shown(param, text));
    } catch (TooDear | StackOverflowError e) {
      return Optional.of("cannot be held against " + pattern
          + " within bounds: give a shorter value, or have the intent's pattern made simpler" + shown(param, text));
    }
  }

  /** A text that may be looked at so many times and no more: some patterns look at few characters for centuries. */
  private static final class Paid implements CharSequence {
    private final String text;
    private int looks = MAX_LOOKS;

    Paid(String text) {
      this.text = text;
    }

    @Override
    public char charAt(int index) {
      if (looks-- == 0) {
        throw new TooDear();
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** A pattern has looked at a text too many times. */
  private static final class TooDear extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooDear() {
      super("a pattern looks at a text more than " + MAX_LOOKS + " times", null, false, false);
    }
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

  /** The text of a parameter; empty where it has no value. */
  public String text(String param) {
    return texts.getOrDefault(param, "");
  }

  /** Every parameter that has a value, in the order of the intent. */
  public Map<String, String> texts() {
    return texts;
  }

  /** The values that nobody may see. */
  public List<String> secrets() {
    return secrets;
  }
}
