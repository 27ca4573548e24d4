package fleet.tower.foreign;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

import fleet.tower.platform.InvalidValue;

/** The name of another tool's lock: its kind and path, as in {@code beads:/srv/project/.beads}. */
public record ForeignName(Kind kind, String path) {
  private static final int MAX_PATH = 4096;

  public ForeignName {
    if (path.isBlank()) {
      throw problem("'" + kind + ":' names no " + kind.place() + "; write " + kind.usage());
    }
    if (path.length() > MAX_PATH || path.indexOf('\0') >= 0) {
      throw problem(
          "the path of a foreign lock must have 1 to " + MAX_PATH + " characters and no NUL; write " + kind.usage());
    }
  }

  /** The tool that defines the lock. */
  public enum Kind {
    /** The exclusive lock of a beads database: the file {@code .exclusive-lock} in its directory. */
    BEADS("DIR", true, "database"),
    /** A file that {@code flock(1)} locks. */
    FLOCK("FILE", true, ""),
    /** The lock of Terraform's state in a directory. */
    TERRAFORM("DIR", false, ""),
    /** A file with the process number of its holder. */
    PIDFILE("FILE", true, "");

    private final String place;
    private final boolean isHoldable;
    private final String subject;

    Kind(String place, boolean isHoldable, String subject) {
      this.place = place;
      this.isHoldable = isHoldable;
      this.subject = subject;
    }

    String place() {
      return place;
    }

    String subject() {
      return subject;
    }

    /** Whether programs other than the tool may hold it. */
    public boolean isHoldable() {
      return isHoldable;
    }

    /** The form of a name, as {@code beads:DIR}. */
    public String usage() {
      return this + ":" + place;
    }

    /** The kind that a name begins with. */
    public static Optional<Kind> of(String text) {
      return Arrays.stream(values()).filter(kind -> text.startsWith(kind + ":")).findFirst();
    }

    /** The forms of all kinds. */
    public static String usages() {
      return Arrays.stream(values()).map(Kind::usage).collect(Collectors.joining(", "));
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Parses the name in an intent. */
  public static ForeignName parse(String text) {
    Kind kind = Kind.of(text).orElseThrow(() -> problem("'" + text + "' is not a foreign lock; the forms are "
        + Kind.usages()));
    return new ForeignName(kind, text.substring(kind.toString().length() + 1));
  }

  private static InvalidValue problem(String message) {
    return new InvalidValue(InvalidValue.Kind.REQUEST, message);
  }

  @Override
  public String toString() {
    return kind + ":" + path;
  }
}
