package fleet.tower.planted;

import org.jspecify.annotations.Nullable;

final class Clean {
  private Clean() {}

  static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }
}
