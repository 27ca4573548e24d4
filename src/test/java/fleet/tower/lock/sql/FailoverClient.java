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
import fleet.tower.lock.LockStore;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;

/**
 * A client that acquires locks continuously, whatever happens to the server: names of its own, which it keeps or
 * releases, and one contested name. It logs every outcome.
 */
final class FailoverClient implements Runnable {
  static final String SHARED = "shared";
  private static final String NOT_KNOWN = "is unknown";

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

  /** A token, and the times of its request and grant. */
  record Given(long token, long begunNanos, long endedNanos) {}

  /** The locks that it was told it holds. */
  Map<String, Lease> kept() {
    return kept;
  }

  /** Its names that certainly have no lock: released, or never granted. */
  List<String> free() {
    return new ArrayList<>(free);
  }

  /** The tokens of the name that all want. */
  List<Given> given() {
    return new ArrayList<>(given);
  }

  /** How often the outcome was unknown. */
  int unknown() {
    return unknown.get();
  }

  /** The number of locks granted so far. */
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
    TestRequest asking = TestRequest.by(request, name);
    // A lock with an unknown owner becomes available soon.
    TestRequest how = name.equals(SHARED) ? asking.withTtl(2).withForce() : asking;
    if (!(store.acquire(how.request()) instanceof AcquireOutcome.Granted(var held, var _))) {
      return;
    }
    Lease lease = held.lease();
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

  /**
   * Retries until there is an outcome; a lock of an attempt with an unknown outcome that was withdrawn is gone at the
   * next one.
   */
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
