package fleet.tower.lock.file;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.time.FineClock;
import fleet.tower.platform.time.SystemTime;

/** Acquires and releases some locks in turn, forgets the others, and logs each grant and each name that it forgot. */
final class ForgetHammerMain {
  static final List<LeaseName> NAMES = List.of("a", "b", "c").stream().map(LeaseName::new).toList();

  private ForgetHammerMain() {}

  /** Arguments: directory, history file, a file that ends it. */
  static void main(String[] arguments) throws IOException {
    String self = "p" + ProcessHandle.current().pid();
    Path end = Path.of(arguments[2]);
    try (LockStore store = new FileLocks(Path.of(arguments[0]), true, SystemTime.source(), SystemTime.scheduler(),
        _ -> true, _ -> {}).open(); FileOutputStream history = new FileOutputStream(arguments[1], true)) {
      for (int n = 0; !Files.exists(end); n++) {
        LeaseName name = NAMES.get(n % NAMES.size());
        TestRequest asking = TestRequest.by(self + "-" + n, name.value());
        long asked = FineClock.nanos();
        if (store.acquire(asking.request()) instanceof AcquireOutcome.Granted granted) {
          write(history, "granted " + name + " " + granted.lease().lease().token() + " " + asked + " "
              + FineClock.nanos());
          store.release(name, asking.owner(), FencingToken.NONE);
        }
        for (LeaseName other : store.unused(Duration.ZERO, NAMES.size())) {
          if (store.forget(other, Duration.ZERO)) {
            write(history, "forgot " + other);
          }
        }
      }
    }
  }

  private static void write(FileOutputStream history, String line) throws IOException {
    history.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
  }
}
