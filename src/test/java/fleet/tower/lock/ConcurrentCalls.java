package fleet.tower.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs several pieces of work at the same moment, each on its own thread, and waits for three minutes at most. */
public final class ConcurrentCalls {
  /** For what hangs; tests have limits of their own. */
  private static final long LIMIT_MINUTES = 20;

  private ConcurrentCalls() {}

  /** One piece of work. */
  public interface Work<T> {
    T run() throws Exception;
  }

  /** The results, in the order of the work. */
  public static <T> List<T> call(List<Work<T>> works) {
    CyclicBarrier start = new CyclicBarrier(works.size());
    ExecutorService threads = Executors.newFixedThreadPool(works.size(), Thread.ofPlatform().daemon().factory());
    try {
      List<Future<T>> futures = new ArrayList<>();
      for (Work<T> work : works) {
        futures.add(threads.submit(() -> {
          start.await(LIMIT_MINUTES, TimeUnit.MINUTES);
          return work.run();
        }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get(LIMIT_MINUTES, TimeUnit.MINUTES));
      }
      return results;
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError("the work failed or did not end", e);
    } finally {
      threads.shutdownNow();
    }
  }

  /** Waits for {@code barrier}. */
  public static void await(CyclicBarrier barrier) {
    try {
      barrier.await(LIMIT_MINUTES, TimeUnit.MINUTES);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new AssertionError("the others did not come", e);
    }
  }
}
