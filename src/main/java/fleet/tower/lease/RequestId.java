package fleet.tower.lease;

import static java.util.Objects.requireNonNull;

import java.util.HexFormat;
import java.util.random.RandomGenerator;

/** Identifies one execution, and with it the owner of a lease. No file name is ever built from it. */
public record RequestId(String value) {
  private static final int MAX_LENGTH = 128;
  private static final int RANDOM_BYTES = 12;

  public RequestId {
    requireNonNull(value);
    if (!isValid(value)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "request id " + InvalidValue.shown(value)
          + " is not 1 to 128 of A-Z a-z 0-9 . _ : - beginning with a letter or digit");
    }
  }

  public static boolean isValid(String value) {
    if (value.isEmpty() || value.length() > MAX_LENGTH || !isAlphanumeric(value.charAt(0))) {
      return false;
    }
    // By hand: each lock that is read or given has one, and a stream takes longer than all else of that.
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

  /** A new id that nobody else has: {@code req_} and 24 hexadecimal digits. */
  public static RequestId random(RandomGenerator random) {
    byte[] bytes = new byte[RANDOM_BYTES];
    random.nextBytes(bytes);
    return new RequestId("req_" + HexFormat.of().formatHex(bytes));
  }

  @Override
  public String toString() {
    return value;
  }
}
