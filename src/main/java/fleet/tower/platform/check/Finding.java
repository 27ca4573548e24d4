package fleet.tower.platform.check;

import static java.util.Objects.requireNonNull;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * One thing that was looked at.
 *
 * @param remedy what to do about it; null exactly where nothing needs to be done
 */
public record Finding(String check, Severity severity, String message, @Nullable String remedy) {
  public Finding {
    requireNonNull(check);
    requireNonNull(severity);
    requireNonNull(message);
    if ((severity == Severity.OK) != (remedy == null)) {
      throw new IllegalStateException("a remedy belongs to what is not ok: " + check);
    }
  }

  /** How bad it is; the later the worse. */
  public enum Severity {
    OK, WARN, FAIL;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public static Finding ok(String check, String message) {
    return new Finding(check, Severity.OK, message, null);
  }

  public static Finding warn(String check, String message, String remedy) {
    return new Finding(check, Severity.WARN, message, remedy);
  }

  public static Finding fail(String check, String message, String remedy) {
    return new Finding(check, Severity.FAIL, message, remedy);
  }
}
