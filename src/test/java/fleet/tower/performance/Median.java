package fleet.tower.performance;

import java.util.List;

/** The middle one of some values. */
public final class Median {
  private Median() {}

  public static double of(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
