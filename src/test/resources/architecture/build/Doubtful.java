package fleet.tower.planted;

import java.util.List;

final class Doubtful {
  private Doubtful() {}

  static int size(List list) {
    return list.size();
  }
}
