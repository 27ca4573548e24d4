package fleet.tower.harness;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import fleet.tower.platform.time.SystemTime;

/** The extent of tests, which depends on the level of the build: {@code ./mvnw verify}, -Pproofs, or -Plong. */
public final class Extent {
  private static final Level LEVEL = Level
      .valueOf(System.getProperty("proofs.level", "change").toUpperCase(Locale.ROOT));
  private static final int SHARES = 10;

  /** Each level does more than those before. */
  private enum Level {
    CHANGE, PROOFS, LONG
  }

  private Extent() {}

  /** Whether this build does everything at least once. */
  static boolean isWhole() {
    return LEVEL != Level.CHANGE;
  }

  /** The amount that every build and -Pproofs do, and the one with -Plong. */
  public static int of(int inEveryBuild, int withLong) {
    return of(inEveryBuild, inEveryBuild, withLong);
  }

  /** The amount at each level. */
  public static int of(int inEveryBuild, int withProofs, int withLong) {
    return switch (LEVEL) {
      case CHANGE -> {
        if (inEveryBuild != withProofs) {
          LeftOut.add(caller(), inEveryBuild + " instead of " + withProofs);
        }
        yield inEveryBuild;
      }
      case PROOFS -> withProofs;
      case LONG -> withLong;
    };
  }

  /** All of these, or without -Pproofs a tenth of them: another one each day. */
  public static <T> List<T> share(List<T> all) {
    if (isWhole()) {
      return all;
    }
    List<T> share = new ArrayList<>();
    for (int i = (int) (day() % SHARES); i < all.size(); i += SHARES) {
      share.add(all.get(i));
    }
    LeftOut.add(caller(), share.size() + " instead of " + all.size());
    return share;
  }

  /** All of these, or without -Pproofs one of them: another one each day. */
  public static <T> List<T> oneOf(List<T> all) {
    if (isWhole()) {
      return all;
    }
    T one = all.get((int) (day() % all.size()));
    LeftOut.add(caller(), "only " + one);
    return List.of(one);
  }

  /** All of these, or without -Pproofs the first and the last. */
  public static <T> List<T> ends(List<T> all) {
    if (isWhole() || all.size() <= 2) {
      return all;
    }
    LeftOut.add(caller(), "2 instead of " + all.size());
    return List.of(all.getFirst(), all.getLast());
  }

  /** Where a sequence of cases begins: each day elsewhere without -Pproofs, and at its beginning with it. */
  public static long offset(long length) {
    return isWhole() ? 0 : day() % SHARES * length;
  }

  private static long day() {
    return SystemTime.source().now().atOffset(ZoneOffset.UTC).toLocalDate().toEpochDay();
  }

  private static String caller() {
    return StackWalker.getInstance().walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
        .filter(name -> !name.equals(Extent.class.getName())).findFirst().orElse("").replaceFirst(".*\\.", ""));
  }
}
