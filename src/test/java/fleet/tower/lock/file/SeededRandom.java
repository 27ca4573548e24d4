package fleet.tower.lock.file;

import java.util.SplittableRandom;

/** The one source of chance in a schedule: the same seed throws the same dice. */
final class SeededRandom {
  private final SplittableRandom random;

  SeededRandom(long seed) {
    random = new SplittableRandom(seed);
  }

  boolean chance(int perMille) {
    return perMille > 0 && random.nextInt(1000) < perMille;
  }

  /** 0 to {@code bound - 1}. */
  int pick(int bound) {
    return random.nextInt(bound);
  }

  int oneOf(int... values) {
    return values[random.nextInt(values.length)];
  }
}
