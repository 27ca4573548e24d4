package fleet.tower.run.submit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.RunChanges;

/**
 * The watchers of runs that other processes execute. They are woken when a change is announced, and by the clock:
 * seldom if changes are announced, often if they are not. A run that no watcher has looked at for some time is
 * forgotten, and without runs nothing listens and no timer runs.
 */
final class DistantRuns {
  static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);
  /** The safety net for lost announcements. */
  static final Duration BETWEEN_LOOKS_WHEN_ANNOUNCED = Duration.ofSeconds(1);
  private static final int TICKS_UNTIL_FORGOTTEN = 5;

  private final RunChanges changes;
  private final Scheduler scheduler;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<RequestId, Watched> watched = new HashMap<>();
  private final List<Notices.Subscription> listening = new ArrayList<>();
  private long versions;
  private long ticks;

  DistantRuns(RunChanges changes, Scheduler scheduler) {
    this.changes = changes;
    this.scheduler = scheduler;
  }

  /** A run with its watchers; guarded by the lock. */
  private final class Watched {
    private final Condition changed = lock.newCondition();
    /** Never the same for two instances, so that no watcher waits for a change that it missed. */
    private long version = ++versions;
    private int waiting;
    private int idleTicks;

    private void wake() {
      version = ++versions;
      changed.signalAll();
    }
  }

  /** Wakes watchers at announcements about their runs. */
  private final class Announced implements Notices.Listener {
    @Override
    public void changed(String subject) {
      lock.lock();
      try {
        if (RequestId.isValid(subject)) {
          wakeWatched(new RequestId(subject));
        }
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void missed() {
      lock.lock();
      try {
        watched.values().forEach(Watched::wake);
      } finally {
        lock.unlock();
      }
    }
  }

  /** The version of a run before its record is read; from here on no change is missed. */
  long version(RequestId run) {
    boolean isFirst;
    long version;
    lock.lock();
    try {
      isFirst = watched.isEmpty();
      version = watch(run).version;
      if (isFirst) {
        listen();
      }
    } finally {
      lock.unlock();
    }
    if (isFirst) {
      schedule();
    }
    return version;
  }

  /** Waits until a run may have changed since a version. */
  void awaitChange(RequestId run, long seen) {
    lock.lock();
    try {
      Watched one = watched.get(run);
      if (one == null) {
        return;
      }
      one.waiting++;
      while (one.version == seen) {
        one.changed.awaitUninterruptibly();
      }
      one.waiting--;
      one.idleTicks = 0;
    } finally {
      lock.unlock();
    }
  }

  /** Wakes the watchers of a run, even without a change. */
  void wake(RequestId run) {
    lock.lock();
    try {
      wakeWatched(run);
    } finally {
      lock.unlock();
    }
  }

  /** A number that grows as time passes while a run is watched. */
  long ticks() {
    lock.lock();
    try {
      return ticks;
    } finally {
      lock.unlock();
    }
  }

  private Watched watch(RequestId run) {
    Watched one = watched.computeIfAbsent(run, _ -> new Watched());
    one.idleTicks = 0;
    return one;
  }

  private void wakeWatched(RequestId run) {
    @Nullable
    Watched one = watched.get(run);
    if (one != null) {
      one.wake();
    }
  }

  private void listen() {
    listening.add(changes.listen(RunChanges.Topic.RUNS, new Announced()));
    listening.add(changes.listen(RunChanges.Topic.OUTPUT, new Announced()));
  }

  /** Called without the lock, because the scheduler may hold its own while it calls back. */
  private void schedule() {
    Scheduler.Pending _ = scheduler.after(
        changes.areAnnounced() ? BETWEEN_LOOKS_WHEN_ANNOUNCED : BETWEEN_LOOKS, this::tick);
  }

  private void tick() {
    boolean isNeeded;
    lock.lock();
    try {
      ticks++;
      watched.values().removeIf(one -> one.waiting == 0 && ++one.idleTicks > TICKS_UNTIL_FORGOTTEN);
      watched.values().forEach(Watched::wake);
      isNeeded = !watched.isEmpty();
      if (!isNeeded) {
        listening.forEach(Notices.Subscription::close);
        listening.clear();
      }
    } finally {
      lock.unlock();
    }
    if (isNeeded) {
      schedule();
    }
  }
}
