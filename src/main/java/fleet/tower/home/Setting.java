package fleet.tower.home;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

import fleet.tower.platform.InvalidValue;

/**
 * One setting: a key of {@code config/application.yaml}, and a variable of the environment.
 *
 * @param name the key below {@code tower.}, such as {@code shutdown.grace}
 * @param standard the value if nothing is set, as a person writes it; empty if there is none
 * @param type of its values
 * @param allowed the values that it takes, in words
 * @param help the purpose of the setting
 * @param parser reads a text; empty if the setting does not take it
 */
public record Setting<T>(String name, String standard, Class<T> type, String allowed, String help,
    Function<String, Optional<T>> parser) {

  /** The key of the setting in {@code application.yaml}. */
  public String key() {
    return "tower." + name;
  }

  /** The variable of the environment. */
  public String variable() {
    return key().replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
  }

  /** The variables of the environment: ours, and Spring's own form without underscores for hyphens. */
  public List<String> variables() {
    String springs = key().replace('.', '_').replace("-", "").toUpperCase(Locale.ROOT);
    return springs.equals(variable()) ? List.of(springs) : List.of(variable(), springs);
  }

  /** Whether a text is a value of this setting. */
  public boolean allows(String text) {
    return parser.apply(text).isPresent();
  }

  /**
   * The value that is set, or else the standard one.
   *
   * @throws InvalidValue if the setting does not take the value that is set
   */
  public T of(Values values) {
    return given(values).or(() -> parser.apply(standard))
        .orElseThrow(() -> new IllegalStateException(key() + " has no value"));
  }

  /** The value that is set, if one is. */
  public Optional<T> given(Values values) {
    return values.find(this).map(this::parse);
  }

  /** Parses a text; one that the setting does not take is refused by the name of its place. */
  private T parse(Given given) {
    return parser.apply(given.text()).orElseThrow(() -> new InvalidValue(InvalidValue.Kind.REQUEST,
        given.origin().place() + " is " + refusal(given.text()) + ", or left out"));
  }

  /** A text that the setting does not take, and those that it takes. */
  String refusal(String text) {
    return InvalidValue.shown(text) + "; it may be " + allowed;
  }

  /** The kind of place where a value is set, in the order in which they take precedence. */
  public enum Source {
    OPTION, ENVIRONMENT, FILE, DEFAULT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Where a value comes from.
   *
   * @param place the name of the option or variable, or file and line; empty for a default
   */
  public record Origin(Source source, String place) {}

  /** A value as it is written. */
  public record Given(String text, Origin origin) {}

  /** The values that are set. */
  @FunctionalInterface
  public interface Values {
    /** The value of a setting; empty if it is not set. */
    Optional<Given> find(Setting<?> setting);
  }
}
