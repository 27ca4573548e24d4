package fleet.tower.platform;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Work of one thread whose changes become durable together: syncs of the same file, which the stores would do one after
 * the other, are done once at its end. Until then, none of the work may be reported as done.
 *
 * <p>Work of several threads may share a sync too: {@link #gather} waits a moment for those that are about to need one.
 */
public final class SyncGroup {
  /** Much shorter than the rest of a run, and longer than such work takes on an idle processor. */
  private static final long LONGEST_GATHERING_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final ScopedValue<Group> GROUP = ScopedValue.newInstance();
  private static final ReentrantLock LOCK = new ReentrantLock();
  private static final Condition ALL_IDLE = LOCK.newCondition();
  /** The number of threads that are working and have not reached their sync. */
  private static int working;

  private SyncGroup() {}

  /** Makes earlier changes durable; syncs of the same file are equal. */
  @FunctionalInterface
  public interface Sync {
    void sync() throws IOException;
  }

  /** The work to do after a failed sync; throws an exception if the changes should be durable and still are not. */
  @FunctionalInterface
  public interface Fallback<E extends Exception> {
    void after(IOException failure) throws E;
  }

  /** What is done after the changes of some work could not be made durable; returns the result of both. */
  @FunctionalInterface
  public interface Undo<T> {
    T undo(T result, StorageException failure);
  }

  /** The work that one thread does together. */
  private static final class Group {
    private final Map<Sync, List<Fallback<?>>> due = new LinkedHashMap<>();
    private boolean isWorking = true;
  }

  /** Syncs now, or when the work that this thread does together is settled. */
  public static void sync(Sync sync) throws IOException {
    SyncGroup.<IOException>sync(sync, failure -> {
      throw failure;
    });
  }

  /** The same, with a fallback. */
  public static <E extends Exception> void sync(Sync sync, Fallback<E> fallback) throws E {
    if (GROUP.isBound()) {
      GROUP.get().due.computeIfAbsent(sync, _ -> new ArrayList<>()).add(fallback);
      return;
    }
    try {
      sync.sync();
    } catch (IOException failure) {
      fallback.after(failure);
    }
  }

  /** Does work and syncs its changes, which are undone if that fails; as part of larger work, leaves both to that. */
  public static <T> T together(Supplier<T> work, Undo<T> undo) {
    if (GROUP.isBound()) {
      return work.get();
    }
    List<T> done = new ArrayList<>(1);
    try {
      return together(() -> {
        T result = work.get();
        done.add(result);
        return result;
      });
    } catch (StorageException e) {
      if (done.isEmpty()) {
        throw e;
      }
      return undo.undo(done.getFirst(), e);
    }
  }

  /**
   * Does work, and syncs its changes at its end.
   *
   * @throws StorageException if a sync failed; then it is unknown which changes a power cut would leave
   */
  public static <T> T together(Supplier<T> work) {
    Group group = new Group();
    count(1);
    return ScopedValue.where(GROUP, group).call(() -> {
      boolean isDone = false;
      try {
        T result = work.get();
        isDone = true;
        settle();
        return result;
      } finally {
        stopWorking(group);
        if (!isDone) {
          settleIfPossible();
        }
      }
    });
  }

  /** Syncs what was changed so far, if this thread is doing work together. */
  public static void settle() {
    if (!GROUP.isBound()) {
      return;
    }
    Group group = GROUP.get();
    stopWorking(group);
    Map<Sync, List<Fallback<?>>> due = new LinkedHashMap<>(group.due);
    group.due.clear();
    List<Exception> failures = new ArrayList<>();
    due.forEach((sync, fallbacks) -> {
      try {
        sync.sync();
      } catch (IOException failure) {
        fallbacks.forEach(fallback -> fallBack(fallback, failure, failures));
      }
    });
    if (!failures.isEmpty()) {
      throw new StorageException("the changes cannot be synced to the disk: " + failures.getFirst().getMessage(),
          failures.getFirst());
    }
  }

  private static void fallBack(Fallback<?> fallback, IOException failure, List<Exception> failures) {
    try {
      fallback.after(failure);
    } catch (Exception e) {
      failures.add(e);
    }
  }

  private static void settleIfPossible() {
    try {
      settle();
    } catch (StorageException ignored) {
      // The failure of the work is reported.
    }
  }

  /** Before a sync: waits for the threads whose work needs one soon, at most a millisecond. */
  public static void gather() {
    boolean isInterrupted = false;
    LOCK.lock();
    try {
      long left = LONGEST_GATHERING_NANOS;
      while (working > 0 && left > 0) {
        left = ALL_IDLE.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      isInterrupted = true;
    } finally {
      LOCK.unlock();
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void stopWorking(Group group) {
    if (group.isWorking) {
      group.isWorking = false;
      count(-1);
    }
  }

  private static void count(int change) {
    LOCK.lock();
    try {
      working += change;
      if (working == 0) {
        ALL_IDLE.signalAll();
      }
    } finally {
      LOCK.unlock();
    }
  }
}
