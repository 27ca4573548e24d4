package fleet.tower.performance;

/** What a figure counts. Times are measured in nanoseconds and shown in these units. */
public enum Unit {
  MICROS("µs", 1e3),

  MILLIS("ms", 1e6),

  SECONDS("s", 1e9),

  MEBIBYTES("MiB", 1),

  CORE("% of a core", 1),

  STATEMENTS("statements/s", 1),

  RATE("/s", 1);

  private final String text;
  private final double size;

  Unit(String text, double size) {
    this.text = text;
    this.size = size;
  }

  double of(double measured) {
    return measured / size;
  }

  /** More of it is better; of everything else, less. */
  boolean isBetterHigh() {
    return this == RATE;
  }

  @Override
  public String toString() {
    return text;
  }
}
