package fleet.tower.operation;

import fleet.tower.access.Places;

/** A call that is refused because no place is free in which its caller could wait. */
public final class TooManyCalls extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final transient Places.NoPlace none;

  TooManyCalls(Places.NoPlace none) {
    super(none.toString(), null, false, false);
    this.none = none;
  }

  /** Which bound is reached. */
  public Places.NoPlace none() {
    return none;
  }
}
