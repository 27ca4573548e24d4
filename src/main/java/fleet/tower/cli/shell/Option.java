package fleet.tower.cli.shell;

import static java.util.Objects.requireNonNull;

/** A flag or a value that may stand before or behind the operands. */
public record Option(String name, Kind kind, String placeholder, String summary) {
  public Option {
    requireNonNull(name);
    requireNonNull(kind);
    requireNonNull(placeholder);
    requireNonNull(summary);
  }

  /** What follows the option's name. */
  public enum Kind {
    FLAG, VALUE,
    /** A duration may follow, and only a duration: anything else is the next operand. */
    OPTIONAL_DURATION
  }

  public static Option flag(String name, String summary) {
    return new Option(name, Kind.FLAG, "", summary);
  }

  public static Option value(String name, String placeholder, String summary) {
    return new Option(name, Kind.VALUE, placeholder, summary);
  }

  public static Option optionalDuration(String name, String summary) {
    return new Option(name, Kind.OPTIONAL_DURATION, "D", summary);
  }

  /** The option as a usage line shows it. */
  public String usage() {
    return switch (kind) {
      case FLAG -> "--" + name;
      case VALUE -> "--" + name + " " + placeholder;
      case OPTIONAL_DURATION -> "--" + name + " [" + placeholder + "]";
    };
  }
}
