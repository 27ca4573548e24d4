package fleet.tower.harness;

/** The extent of a long test: short in every build, long with the profile {@code long}. */
public final class Extent {
  private static final boolean IS_LONG = Boolean.getBoolean("proofs.long");

  private Extent() {}

  public static int of(int inEveryBuild, int withLong) {
    return IS_LONG ? withLong : inEveryBuild;
  }
}
