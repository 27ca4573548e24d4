package fleet.tower.lock.file;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/** Many schedules of the real store on a simulated host; each is determined by its seed alone. */
public final class Simulation {
  private static final int THREADS = 2;

  private Simulation() {}

  /**
   * The seeds from {@code first} on, {@code schedules} of them; the text of a broken promise with its trace, or null.
   */
  static @Nullable String run(long first, long schedules, Tally tally) throws InterruptedException {
    AtomicLong next = new AtomicLong(first);
    List<Future<@Nullable String>> results = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      for (int i = 0; i < THREADS; i++) {
        results.add(threads.submit(() -> runUpTo(first + schedules, next, tally)));
      }
      String violation = null;
      for (Future<@Nullable String> result : results) {
        String found = result.get();
        violation = violation == null ? found : violation;
      }
      return violation;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the simulation itself failed", e.getCause());
    }
  }

  /** One schedule with its trace. */
  static String replay(long seed) {
    Trace trace = Trace.kept();
    Violation violation = new Schedule(seed, trace, new Tally(), null).run();
    return trace + (violation == null ? "\nno promise is broken" : "\n" + violation.getMessage());
  }

  /**
   * Searches for a broken promise, seed after seed; returns a string, which every class loader shares.
   *
   * @param only the one promise to check, or null for all
   * @return the number of schedules and the broken promise, or null if none was broken
   */
  public static @Nullable String firstViolation(long first, long schedules, @Nullable String only) {
    for (long seed = first; seed < first + schedules; seed++) {
      Violation violation = new Schedule(seed, Trace.none(), new Tally(), only).run();
      if (violation != null) {
        return seed - first + 1 + " schedules: " + violation.getMessage();
      }
    }
    return null;
  }

  private static @Nullable String runUpTo(long end, AtomicLong next, Tally total) {
    Tally own = new Tally();
    String found = null;
    for (long seed = next.getAndIncrement(); seed < end; seed = next.getAndIncrement()) {
      Violation violation = new Schedule(seed, Trace.none(), own, null).run();
      if (violation != null) {
        next.set(end);
        found = "seed " + seed + ", again with -Dsimulation.seed=" + seed + ":\n" + replay(seed);
      }
    }
    synchronized (total) {
      total.addAll(own);
    }
    return found;
  }
}
