package fleet.tower.harness;

/** How much of a proof runs: in every build, or with the profile {@code long}. */
public final class Extent {
  private static final boolean IS_LONG = Boolean.getBoolean("proofs.long");

  private Extent() {}

  public static int of(int inEveryBuild, int withLong) {
    return IS_LONG ? withLong : inEveryBuild;
  }
}
