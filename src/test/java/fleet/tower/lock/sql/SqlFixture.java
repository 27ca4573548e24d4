package fleet.tower.lock.sql;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Lease;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HaltStore;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.SystemTime;

/** Locks in a database of their own, with the server's clock moved by hand. */
final class SqlFixture implements AutoCloseable {
  private final ServerClock clock = new ServerClock();
  private final List<LockStore> opened = new ArrayList<>();
  private @Nullable LockStore store;
  private @Nullable HaltStore halts;

  ServerClock clock() {
    return clock;
  }

  LockStore store() {
    LockStore open = store;
    if (open == null) {
      open = open(clock.url());
      store = open;
    }
    return open;
  }

  /** Another store, as after a restart. */
  LockStore reopened() {
    if (store != null) {
      store.close();
    }
    store = null;
    return store();
  }

  /** The halts of the database; closed with the locks. */
  HaltStore halts() {
    store();
    HaltStore open = halts;
    return Objects.requireNonNull(open);
  }

  /** One more store. Heartbeats are gathered in real time. */
  LockStore open(String url) {
    SqlLocks locks = locks(url);
    LockStore one = locks.open();
    halts = locks.halts();
    opened.add(one);
    return one;
  }

  /** The same on a host with halts of its own. */
  LockStore open(HaltSource ofHost) {
    LockStore one = locks(clock.url()).open(ofHost);
    opened.add(one);
    return one;
  }

  private SqlLocks locks(String url) {
    return new SqlLocks(Database.at(url), clock.time(), SystemTime.scheduler(), RenewalSchedule.DEFAULT_MAX_INTERVAL);
  }

  Lease granted(TestRequest asking) {
    return switch (store().acquire(asking.request())) {
      case AcquireOutcome.Granted(var held, var _) -> held.lease();
      case AcquireOutcome other -> throw new AssertionError("not granted: " + other);
    };
  }

  void pass(Duration duration) {
    clock.pass(duration);
  }

  @Override
  public void close() {
    opened.forEach(LockStore::close);
  }
}
