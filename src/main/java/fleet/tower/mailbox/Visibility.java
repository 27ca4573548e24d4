package fleet.tower.mailbox;

import java.time.Duration;

import fleet.tower.platform.InvalidValue;

/** How long a message is hidden from other receivers, in whole seconds, from 0 to twelve hours. */
public record Visibility(long seconds) {
  public static final long MAX_SECONDS = 43_200;
  public static final Visibility NONE = new Visibility(0);
  public static final Visibility DEFAULT = new Visibility(30);

  public Visibility {
    if (seconds < 0 || seconds > MAX_SECONDS) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "visibility timeout " + seconds + " s is outside 0 to " + MAX_SECONDS + " seconds (12 hours)");
    }
  }

  public Duration duration() {
    return Duration.ofSeconds(seconds);
  }
}
