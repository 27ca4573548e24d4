package fleet.tower.home;

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

  /** Spring's own form of the variable, without underscores for hyphens; also accepted. */
  private String springVariable() {
    return key().replace('.', '_').replace("-", "").toUpperCase(Locale.ROOT);
  }

  /** Whether a text is a value of this setting. */
  public boolean allows(String text) {
    return parser.apply(text).isPresent();
  }

  /**
   * The value that is set, or else the standard one.
   *
   * @param environment values by the names of their variables
   * @throws InvalidValue if the setting does not take the value that is set
   */
  public T of(Function<String, Optional<String>> environment) {
    return given(environment).or(() -> parser.apply(standard))
        .orElseThrow(() -> new IllegalStateException(key() + " has no value"));
  }

  /** The value that is set, if one is. */
  public Optional<T> given(Function<String, Optional<String>> environment) {
    return environment.apply(variable()).or(() -> environment.apply(springVariable())).map(this::parse);
  }

  /** Reads a text; one that the setting does not take is refused by name. */
  public T parse(String text) {
    return parser.apply(text).orElseThrow(() -> new InvalidValue(InvalidValue.Kind.REQUEST, variable() + " is "
        + InvalidValue.shown(text) + "; it may be " + allowed + ", or left out"));
  }
}
