package fleet.tower.cli.shell;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * A flag or a value that may stand before or after the operands.
 *
 * @param letter a second, short name; empty for none
 * @param missing the message where it is not given; null where it may be left out
 */
public record Option(String name, String letter, Kind kind, String placeholder, String summary,
    @Nullable String missing) {
  public Option {
    requireNonNull(name);
    requireNonNull(letter);
    requireNonNull(kind);
    requireNonNull(placeholder);
    requireNonNull(summary);
  }

  /** What follows the option's name. */
  public enum Kind {
    FLAG, VALUE,
    /** A value that may be empty, after an equals sign. */
    TEXT,
    /** May be given many times, each time with a value, which may be empty behind an equals sign of its own. */
    REPEATED,
    /** A duration may follow, and only a duration: anything else is the next operand. */
    OPTIONAL_DURATION
  }

  public static Option flag(String name, String summary) {
    return new Option(name, "", Kind.FLAG, "", summary, null);
  }

  public static Option value(String name, String placeholder, String summary) {
    return new Option(name, "", Kind.VALUE, placeholder, summary, null);
  }

  /** A value that may be empty, after an equals sign. */
  public static Option text(String name, String placeholder, String summary) {
    return new Option(name, "", Kind.TEXT, placeholder, summary, null);
  }

  /** A value whose option is better known by its letter. */
  public static Option value(String letter, String name, String placeholder, String summary) {
    return new Option(name, letter, Kind.VALUE, placeholder, summary, null);
  }

  public static Option optionalDuration(String name, String summary) {
    return new Option(name, "", Kind.OPTIONAL_DURATION, "D", summary, null);
  }

  public static Option repeated(String letter, String name, String placeholder, String summary) {
    return new Option(name, letter, Kind.REPEATED, placeholder, summary, null);
  }

  /** The same option, which must be given. */
  public Option needed() {
    return needed("");
  }

  /** The same option, which must be given; {@code more} ends the message where it is not. */
  public Option needed(String more) {
    return new Option(name, letter, kind, placeholder, summary, "--" + name + " is needed" + more);
  }

  boolean isNeeded() {
    return missing != null;
  }

  /** Whether a word of the command line, up to an equals sign if it has one, names this option. */
  boolean isCalled(String word) {
    return word.equals("--" + name) || (!letter.isEmpty() && word.equals("-" + letter));
  }

  /** The option as a usage line shows it. */
  public String usage() {
    return switch (kind) {
      case FLAG -> "--" + name;
      case REPEATED, VALUE, TEXT -> (letter.isEmpty() ? "--" + name : "-" + letter) + " " + placeholder;
      case OPTIONAL_DURATION -> "--" + name + " [" + placeholder + "]";
    };
  }
}
