package fleet.tower.access;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * A limited number of places, such as those of waiting calls or runs, which callers take and give back. A caller has at
 * most its share of them, and only operators take the last ones, so that no token keeps everybody else out.
 */
public final class Places {
  private static final int ALL_PERCENT = 100;
  private static final int RESERVE_PERCENT = 5;

  private final int limit;
  private final int share;
  private final int reserve;
  /** The number of places that each holder has; guarded by itself, like their sum. */
  private final Map<Holder, Integer> held = new HashMap<>();
  private int taken;

  private Places(int limit, int share, int reserve) {
    this.limit = limit;
    this.share = share;
    this.reserve = reserve;
  }

  /** Places of a process that has one caller, which may take them all. */
  public static Places ofOneCaller(int limit) {
    return new Places(limit, limit, 0);
  }

  /**
   * Places that callers share. However few there are, a caller may have one, and not all are reserved.
   *
   * @param sharePercent how many of them one caller may have
   */
  public static Places shared(int limit, int sharePercent) {
    return new Places(limit, Math.max(1, percent(limit, sharePercent)),
        Math.min(Math.max(1, percent(limit, RESERVE_PERCENT)), limit - 1));
  }

  private static int percent(int of, int percent) {
    return (int) ((long) of * percent / ALL_PERCENT);
  }

  /**
   * Who takes places: a caller, whose share is that of its name, so that the people behind one issuer have one each.
   *
   * @param role of the caller; null for the process itself, such as its schedules, which has no share
   */
  public record Holder(String name, @Nullable Role role) {
    public static Holder of(Caller caller) {
      return new Holder(caller.name(), caller.role());
    }
  }

  /** A holder and the number of its places. */
  public record Holding(Holder holder, int places) {}

  /** The outcome of taking a place. */
  public sealed interface Outcome {}

  /** A place, until it is closed; closing it again does nothing. */
  public final class Place implements Outcome, AutoCloseable {
    private final Holder holder;
    private final AtomicBoolean isTaken = new AtomicBoolean(true);

    private Place(Holder holder) {
      this.holder = holder;
    }

    @Override
    public void close() {
      if (isTaken.getAndSet(false)) {
        synchronized (held) {
          taken--;
          held.computeIfPresent(holder, (_, places) -> places == 1 ? null : places - 1);
        }
      }
    }
  }

  /** There is no place for the caller: {@code most} are taken, of those that {@code bound} counts. */
  public record NoPlace(Bound bound, int most) implements Outcome {
    /** What is bounded. */
    public enum Bound {
      /** The places of all callers. */
      ALL,
      /** The places of all callers that are not reserved for operators. */
      UNRESERVED,
      /** The places of one caller. */
      SHARE
    }
  }

  /** Takes a place for a holder. */
  public Outcome take(Holder holder) {
    synchronized (held) {
      if (taken >= limit) {
        return new NoPlace(NoPlace.Bound.ALL, limit);
      }
      if (holder.role() != null && placesOf(holder.name()) >= share) {
        return new NoPlace(NoPlace.Bound.SHARE, share);
      }
      if (holder.role() != Role.OPERATOR && taken >= limit - reserve) {
        return new NoPlace(NoPlace.Bound.UNRESERVED, limit - reserve);
      }
      taken++;
      held.merge(holder, 1, Integer::sum);
      return new Place(holder);
    }
  }

  private int placesOf(String name) {
    int places = 0;
    for (Role role : Role.values()) {
      places += held.getOrDefault(new Holder(name, role), 0);
    }
    return places;
  }

  /** The holders of places, the largest first. */
  public List<Holding> holdings() {
    List<Holding> holdings = new ArrayList<>();
    synchronized (held) {
      held.forEach((holder, places) -> holdings.add(new Holding(holder, places)));
    }
    holdings.sort(Comparator.comparingInt(Holding::places).reversed().thenComparing(it -> it.holder().name()));
    return List.copyOf(holdings);
  }

  /** The number of places that are taken. */
  public int taken() {
    synchronized (held) {
      return taken;
    }
  }

  /** The number of places that callers of a role have; null for the process itself. */
  public int taken(@Nullable Role role) {
    return holdings().stream().filter(it -> it.holder().role() == role).mapToInt(Holding::places).sum();
  }
}
