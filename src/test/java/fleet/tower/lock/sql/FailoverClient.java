package fleet.tower.lock.sql;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import fleet.tower.lease.Lease;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.Asking;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.system.SystemTime;

/**
 * One who takes locks as fast as he can, whatever becomes of the server: names of his own, which he keeps or gives back, and a
 * name that all want. He writes down what he was told.
 */
final class FailoverClient implements Runnable {
  static final String SHARED = "shared";
  private static final String NOT_KNOWN = "is not known";

  private final TimeSource time = SystemTime.source();
  private final String id;
  private final LockStore store;
  private final Map<String, Lease> kept = new ConcurrentHashMap<>();
  private final Queue<String> free = new ConcurrentLinkedQueue<>();
  private final Queue<Given> given = new ConcurrentLinkedQueue<>();
  private final AtomicInteger unknown = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();
  private volatile boolean isOver;

  FailoverClient(String id, LockStore store) {
    this.id = id;
    this.store = store;
  }

  /** A token, and when it was asked for and had. */
  record Given(long token, long begunNanos, long endedNanos) {}

  /** What he was told that he holds. */
  Map<String, Lease> kept() {
    return kept;
  }

  /** Names that he holds for certain no lock on: given back, or never given. */
  List<String> free() {
    return new ArrayList<>(free);
  }

  /** The tokens of the name that all want. */
  List<Given> given() {
    return new ArrayList<>(given);
  }

  /** How often he was told that nobody knows. */
  int unknown() {
    return unknown.get();
  }

  /** How many locks he was given so far. */
  int done() {
    return done.get();
  }

  void end() {
    isOver = true;
  }

  @Override
  public void run() {
    for (int round = 0; !isOver; round++) {
      String request = "req_" + id + "_" + round;
      String name = round % 4 == 3 ? SHARED : "own-" + id + "-" + round;
      try {
        take(name, request, round % 4 != 0);
      } catch (StorageException e) {
        failed(name, String.valueOf(e.getMessage()));
        SystemTime.scheduler().pause(Duration.ofMillis(20));
      }
    }
  }

  private void failed(String name, String message) {
    if (message.contains(NOT_KNOWN)) {
      unknown.incrementAndGet();
    } else if (!name.equals(SHARED) && !kept.containsKey(name)) {
      free.add(name);
    }
  }

  private void take(String name, String request, boolean isToBeReleased) {
    long begun = time.nanos();
    Asking asking = Asking.by(request, name);
    // What nobody knows to be his is to be had soon.
    Asking how = name.equals(SHARED) ? asking.withTtl(2).withForce() : asking;
    if (!(store.acquire(how.request()) instanceof AcquireOutcome.Granted(var tenure, var _))) {
      return;
    }
    Lease lease = tenure.lease();
    done.incrementAndGet();
    if (name.equals(SHARED)) {
      given.add(new Given(lease.token().value(), begun, time.nanos()));
    }
    if (!isToBeReleased) {
      kept.put(name, lease);
    } else if (isReleased(lease) && !name.equals(SHARED)) {
      free.add(name);
    }
  }

  /** Asks until he is told; a lock that was given back by an attempt of which nobody knew is gone the next time. */
  private boolean isReleased(Lease lease) {
    while (!isOver) {
      try {
        ReleaseOutcome _ = store.release(lease.name(), lease.owner(), lease.token());
        return true;
      } catch (StorageException e) {
        unknown.incrementAndGet();
        SystemTime.scheduler().pause(Duration.ofMillis(20));
      }
    }
    return false;
  }
}
