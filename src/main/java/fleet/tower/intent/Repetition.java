package fleet.tower.intent;

import java.time.Duration;

/**
 * How often a step is tried that may be performed more than once.
 *
 * @param times the most further tries after one that failed
 * @param delay the wait before the first of them
 * @param factor by which each further wait is longer than the one before, up to {@link #LONGEST_DELAY}
 */
public record Repetition(int times, Duration delay, int factor) {
  public static final Duration LONGEST_DELAY = Duration.ofHours(1);
  public static final Duration DEFAULT_DELAY = Duration.ofSeconds(1);
  public static final int DEFAULT_FACTOR = 2;
  /** That of a step that is tried once in a run. */
  public static final Repetition ONCE = new Repetition(0, DEFAULT_DELAY, DEFAULT_FACTOR);

  /** The wait after a number of tries that failed. */
  public Duration delayAfter(int tries) {
    long longest = LONGEST_DELAY.toSeconds();
    long seconds = delay.toSeconds();
    for (int i = 1; i < tries && seconds < longest; i++) {
      seconds *= factor;
    }
    return Duration.ofSeconds(Math.min(seconds, longest));
  }
}
