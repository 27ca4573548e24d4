package fleet.tower.lease;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;

/**
 * The time to live of a lease after its last heartbeat, in whole seconds. Ours is one second to seven days; other
 * programs may use any.
 */
public final class Ttl {
  public static final long MAX_SECONDS = 604_800;
  public static final Ttl DEFAULT = new Ttl(900);
  /** 285 years, so that its nanoseconds fit in a long. */
  private static final long MAX_FOREIGN_SECONDS = 9_000_000_000L;
  private static final long SHORT_SECONDS = 5;

  private final long seconds;

  /** A ttl within this program's limits. */
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

  /** The ttl of a lease that another program may have written. */
  public static Ttl ofHolder(long seconds) {
    return new Ttl(seconds, MAX_FOREIGN_SECONDS, " seconds");
  }

  public static boolean isValid(long seconds) {
    return seconds >= 1 && seconds <= MAX_SECONDS;
  }

  /** Whether an ordinary pause of the host or its disk can exceed the ttl. */
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
