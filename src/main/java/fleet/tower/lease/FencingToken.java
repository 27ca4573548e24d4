package fleet.tower.lease;

import fleet.tower.platform.InvalidValue;

/**
 * The number of a tenure: it grows with every new holder of a name for the name's whole life, so that a resource which
 * remembers the highest it has seen can refuse a holder that was paused too long.
 */
public record FencingToken(long value) implements Comparable<FencingToken> {
  /** What a lease has whose writer does not number its tenures. */
  public static final FencingToken NONE = new FencingToken(0);

  /** Eighteen digits: far beyond what a name can ever count to, and the most that a store can write down. */
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

  /** Whether {@link #next()} exists; it does for every token that was counted rather than made up. */
  public boolean hasNext() {
    return value < MAX;
  }

  public boolean isNone() {
    return value == 0;
  }

  /** The larger of the two. */
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
