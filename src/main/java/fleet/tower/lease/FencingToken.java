package fleet.tower.lease;

import fleet.tower.platform.InvalidValue;

/**
 * A number that grows with every new holder of a name, for the life of the name. A resource that remembers the
 * highest number it has seen can reject a holder that was paused too long.
 */
public record FencingToken(long value) implements Comparable<FencingToken> {
  /** The token of a lease whose writer does not use fencing tokens. */
  public static final FencingToken NONE = new FencingToken(0);

  /** Eighteen digits: the most that a store can write, and never reached by counting. */
  private static final long MAX = 999_999_999_999_999_999L;

  public FencingToken {
    if (value < 0) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "fencing token " + value + " is negative");
    }
    if (value > MAX) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "fencing token " + value + " is greater than " + MAX);
    }
  }

  public FencingToken next() {
    return new FencingToken(value + 1);
  }

  /** Whether {@link #next()} exists; true for every token that was obtained by counting. */
  public boolean hasNext() {
    return value < MAX;
  }

  public boolean isNone() {
    return value == 0;
  }

  /** The larger of the two tokens. */
  public FencingToken max(FencingToken other) {
    return compareTo(other) >= 0 ? this : other;
  }

  @Override
  public int compareTo(FencingToken other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
