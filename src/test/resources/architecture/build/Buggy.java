package fleet.tower.planted;

import org.jspecify.annotations.Nullable;

final class Buggy {
  private Buggy() {}

  static int length(@Nullable String text) {
    return text.length();
  }

  static boolean isSame(Long one, Long other) {
    return one == other;
  }
}
