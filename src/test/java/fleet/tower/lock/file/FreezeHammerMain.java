package fleet.tower.lock.file;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import fleet.tower.lease.FencingToken;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.time.FineClock;
import fleet.tower.platform.time.SystemTime;

/** Acquires and releases one lock continuously, and logs the time and outcome of each request. */
final class FreezeHammerMain {
  private FreezeHammerMain() {}

  /** Arguments: directory, history file, a file that ends it. */
  static void main(String[] arguments) throws IOException {
    String self = "p" + ProcessHandle.current().pid();
    Path end = Path.of(arguments[2]);
    try (LockStore store = new FileLocks(Path.of(arguments[0]), true, SystemTime.source(), SystemTime.scheduler(),
        _ -> true, _ -> {}).open(); FileOutputStream history = new FileOutputStream(arguments[1], true)) {
      for (int n = 0; !Files.exists(end); n++) {
        TestRequest asking = TestRequest.by(self + "-" + n, "prod");
        long asked = FineClock.nanos();
        AcquireOutcome outcome = store.acquire(asking.request());
        boolean isGranted = outcome instanceof AcquireOutcome.Granted;
        String line = (isGranted ? "granted " : "refused ") + asked + " " + FineClock.nanos() + "\n";
        history.write(line.getBytes(StandardCharsets.US_ASCII));
        if (isGranted) {
          store.release(asking.name(), asking.owner(), FencingToken.NONE);
        }
      }
    }
  }
}
