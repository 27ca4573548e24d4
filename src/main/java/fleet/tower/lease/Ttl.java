package fleet.tower.lease;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;

/**
 * How long a lease lives after its last proof of life, in whole seconds. What we write lasts from one second to seven days; what
 * others wrote lasts as long as they said.
 */
public final class Ttl {
  public static final long MAX_SECONDS = Duration.ofDays(7).toSeconds();
  public static final Ttl DEFAULT = new Ttl(900);
  /** 285 years: its nanoseconds can still be counted. */
  private static final long MAX_FOREIGN_SECONDS = 9_000_000_000L;
  private static final long SHORT_SECONDS = 5;

  private final long seconds;

  /** One of ours. */
  public Ttl(long seconds) {
    this(seconds, MAX_SECONDS, " seconds (7 days)");
  }

  private Ttl(long seconds, long most, String unit) {
    if (seconds < 1 || seconds > most) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "ttl " + seconds + " s is outside 1 to " + most + unit);
    }
    this.seconds = seconds;
  }

  /** That of a lease which somebody else may have written: the holder's own word counts. */
  public static Ttl ofHolder(long seconds) {
    return new Ttl(seconds, MAX_FOREIGN_SECONDS, " seconds");
  }

  public static boolean isValid(long seconds) {
    return seconds >= 1 && seconds <= MAX_SECONDS;
  }

  /** Whether an ordinary pause of the host, or of its disk, can be longer. */
  public boolean isShort() {
    return seconds < SHORT_SECONDS;
  }

  public long seconds() {
    return seconds;
  }

  public Duration duration() {
    return Duration.ofSeconds(seconds);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Ttl ttl && ttl.seconds == seconds;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(seconds);
  }

  @Override
  public String toString() {
    return seconds + " s";
  }
}
