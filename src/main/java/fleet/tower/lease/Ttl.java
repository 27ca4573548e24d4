package fleet.tower.lease;

import java.time.Duration;

/** How long a lease lives after its last proof of life, in whole seconds, from one second to seven days. */
public record Ttl(long seconds) {
  public static final long MAX_SECONDS = Duration.ofDays(7).toSeconds();
  public static final Ttl DEFAULT = new Ttl(900);

  public Ttl {
    if (!isValid(seconds)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "ttl " + seconds + " s is outside 1 to " + MAX_SECONDS + " seconds (7 days)");
    }
  }

  public static boolean isValid(long seconds) {
    return seconds >= 1 && seconds <= MAX_SECONDS;
  }

  public Duration duration() {
    return Duration.ofSeconds(seconds);
  }
}
