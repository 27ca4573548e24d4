package fleet.tower.cli.shell;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.list.Cursor;

/**
 * An option: a flag or a value, given before or after the operands.
 *
 * @param letter the short name; empty for none
 * @param missing the message if a required option is missing; null if it is optional
 */
public record Option(String name, String letter, Kind kind, String placeholder, String summary,
    @Nullable String missing) {
  /** What may follow the option's name. */
  public enum Kind {
    FLAG, VALUE,
    /** A value, which may be empty if given after an equals sign. */
    TEXT,
    /** A value that may be given repeatedly, and may be empty if given after an equals sign. */
    REPEATED,
    /** An optional duration; any other word is the next operand. */
    OPTIONAL_DURATION
  }

  public static Option flag(String name, String summary) {
    return new Option(name, "", Kind.FLAG, "", summary, null);
  }

  public static Option value(String name, String placeholder, String summary) {
    return new Option(name, "", Kind.VALUE, placeholder, summary, null);
  }

  /** A value, which may be empty if given after an equals sign. */
  public static Option text(String name, String placeholder, String summary) {
    return new Option(name, "", Kind.TEXT, placeholder, summary, null);
  }

  /** A value whose option is shown by its letter. */
  public static Option value(String letter, String name, String placeholder, String summary) {
    return new Option(name, letter, Kind.VALUE, placeholder, summary, null);
  }

  /** The id of the request that a command makes. */
  public static Option requestId() {
    return requestId("the id of this request (default: a new one)");
  }

  /** A request id; help explains the placeholder R. */
  public static Option requestId(String summary) {
    return value("request-id", "R", summary);
  }

  /** The cursor that continues a list. */
  public static Option cursor() {
    return value(Cursor.PARAMETER, "C", "the next page of a list, by the cursor that the previous page printed");
  }

  public static Option optionalDuration(String name, String summary) {
    return new Option(name, "", Kind.OPTIONAL_DURATION, "D", summary, null);
  }

  public static Option repeated(String letter, String name, String placeholder, String summary) {
    return new Option(name, letter, Kind.REPEATED, placeholder, summary, null);
  }

  /** The same option, but required. */
  public Option needed() {
    return needed("");
  }

  /** The same option, but required; {@code more} is the end of the message if it is missing. */
  public Option needed(String more) {
    return new Option(name, letter, kind, placeholder, summary, "--" + name + " is required" + more);
  }

  /** Whether the value may be a duration, which has the placeholder D. */
  boolean takesDuration() {
    return placeholder.equals("D") || placeholder.startsWith("D|");
  }

  /** Whether the value is a request id, which has the placeholder R. */
  boolean takesRequestId() {
    return name.equals("request-id");
  }

  boolean isNeeded() {
    return missing != null;
  }

  /** Whether a word of the command line, up to an equals sign, names this option. */
  boolean isCalled(String word) {
    return word.equals("--" + name) || (!letter.isEmpty() && word.equals("-" + letter));
  }

  /** The option in a usage line. */
  public String usage() {
    return switch (kind) {
      case FLAG -> "--" + name;
      case REPEATED, VALUE, TEXT -> (letter.isEmpty() ? "--" + name : "-" + letter) + " " + placeholder;
      case OPTIONAL_DURATION -> "--" + name + " [" + placeholder + "]";
    };
  }
}
