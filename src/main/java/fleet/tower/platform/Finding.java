package fleet.tower.platform;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The result of one check.
 *
 * @param remedy what to do about it; null exactly if nothing needs to be done
 */
public record Finding(String check, Severity severity, String message, @Nullable String remedy) {
  public Finding {
    if ((severity == Severity.OK) != (remedy == null)) {
      throw new IllegalStateException("a finding needs a remedy exactly if it is not ok: " + check);
    }
  }

  /** The severity, in increasing order. */
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
