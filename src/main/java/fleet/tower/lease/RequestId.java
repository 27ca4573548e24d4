package fleet.tower.lease;

import java.util.HexFormat;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;

/**
 * The id of one execution, and so of the owner of a lease. It is never part of a file name. Our ids have a narrow
 * form; other programs may have written any text that fits in a file name.
 */
public final class RequestId {
  private static final int MAX_LENGTH = 128;
  /** The script of the specification uses the id as part of a file name. */
  private static final int MAX_FOREIGN_LENGTH = 255;
  private static final int RANDOM_BYTES = 12;

  private final String value;

  /** Parses an id of this program's form. */
  public RequestId(String value) {
    this(value, isValid(value), "is not 1 to 128 of A-Z a-z 0-9 . _ : - beginning with a letter or digit");
  }

  private RequestId(String value, boolean isValid, String problem) {
    if (!isValid) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "request id " + InvalidValue.shown(value) + " " + problem);
    }
    this.value = value;
  }

  /** Parses the id of a lease that another program may have written. */
  public static RequestId ofHolder(String value) {
    return new RequestId(value, isValid(value) || isForeign(value),
        "is not 1 to " + MAX_FOREIGN_LENGTH + " characters without / and control characters");
  }

  private static boolean isForeign(String value) {
    return !value.isEmpty() && value.length() <= MAX_FOREIGN_LENGTH
        && value.codePoints().noneMatch(c -> c == '/' || Character.isISOControl(c));
  }

  public String value() {
    return value;
  }

  public static boolean isValid(String value) {
    if (value.isEmpty() || value.length() > MAX_LENGTH || !isAlphanumeric(value.charAt(0))) {
      return false;
    }
    // No stream: this runs for every lock read or granted, and a stream would dominate its cost.
    for (int i = 1; i < value.length(); i++) {
      int c = value.charAt(i);
      if (!isAlphanumeric(c) && c != '.' && c != '_' && c != ':' && c != '-') {
        return false;
      }
    }
    return true;
  }

  private static boolean isAlphanumeric(int c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }

  /** A new random id: {@code req_} and 24 hexadecimal digits. */
  public static RequestId random(RandomGenerator random) {
    byte[] bytes = new byte[RANDOM_BYTES];
    random.nextBytes(bytes);
    return new RequestId("req_" + HexFormat.of().formatHex(bytes));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RequestId id && id.value.equals(value);
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }

  @Override
  public String toString() {
    return value;
  }
}
