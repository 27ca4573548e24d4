package fleet.tower.performance;

/** How a figure that is measured may differ from that on the page. */
public enum Guard {
  /** In any way: it depends on the machine, or too much on chance. */
  NONE,
  /** By no more than 30 % in either direction. */
  AROUND,
  /** By no more than 30 % above: below, the product is better, or only its baseline is slower. */
  ABOVE;

  private static final double TOLERANCE = 0.30;

  boolean allows(double page, double measured) {
    double change = measured / page - 1;
    return this == NONE || (change <= TOLERANCE && (this == ABOVE || change >= -TOLERANCE));
  }
}
