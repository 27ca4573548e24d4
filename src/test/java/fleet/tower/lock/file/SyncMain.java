package fleet.tower.lock.file;

import java.nio.file.Path;

import fleet.tower.lease.FencingToken;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.time.SystemTime;

/** Acquires a lock and releases it, and prints a line after each. */
final class SyncMain {
  private SyncMain() {}

  /** Arguments: directory of the locks. */
  static void main(String[] arguments) {
    TestRequest asking = TestRequest.by("r1", "prod");
    try (LockStore store = new FileLocks(Path.of(arguments[0]), true, SystemTime.source(), SystemTime.scheduler(),
        _ -> true, _ -> {}).open()) {
      if (store.acquire(asking.request()) instanceof AcquireOutcome.Granted) {
        System.out.println("acquired");
      }
      if (store.release(asking.name(), asking.owner(), FencingToken.NONE) instanceof ReleaseOutcome.Released) {
        System.out.println("released");
      }
    }
  }
}
