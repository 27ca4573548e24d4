package fleet.tower.lock.file;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.Competitor;
import fleet.tower.lock.LockStore;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;

/** One process of those that fight for locks on files, with delays before the calls of the file system. */
final class HammerMain {
  private final TimeSource time = SystemTime.source();
  private final Scheduler scheduler = SystemTime.scheduler();
  private final Path directory;
  private final String id;
  private final boolean hasGuard;

  private HammerMain(String[] arguments) {
    this.directory = Path.of(arguments[0]);
    this.id = arguments[1];
    this.hasGuard = Boolean.parseBoolean(arguments[3]);
  }

  /**
   * Arguments: directory, id, history file, whether to use the guard. Ends with its parent, which has the other end of
   * its input.
   */
  static void main(String[] arguments) throws InterruptedException {
    Competitor.competeAll(arguments[1], arguments[2], new HammerMain(arguments)::store);
  }

  private LockStore store(LeaseName name) {
    DirectoryGuard guard = DirectoryGuard.share(directory, new DirectoryCheck(directory, true, time, _ -> {}),
        new DirectoryGuard.GuardContext(time, scheduler, () -> {}));
    return FileStores.on(
        new TappedDirectory(new NioLockDirectory(directory, guard), delays(new Random((id + name).hashCode()))), time);
  }

  private TappedDirectory.Tap delays(Random random) {
    return new TappedDirectory.Tap() {
      @Override
      public void before(TappedDirectory.Call call) {
        int dice = random.nextInt(100);
        if (dice < 25) {
          scheduler.pause(Duration.ofNanos(random.nextInt(dice == 0 ? 10_000_000 : 700_000)));
        }
      }

      @Override
      public boolean hasGuard() {
        return hasGuard;
      }
    };
  }

}
