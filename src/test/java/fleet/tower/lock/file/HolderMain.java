package fleet.tower.lock.file;

import static fleet.tower.lease.Actors.ACTOR;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import fleet.tower.lease.FencingToken;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.RecordedAudit;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;

/** Executes commands on a lock from its input, and answers each with one line. */
final class HolderMain {
  private HolderMain() {}

  /** Arguments: directory. */
  static void main(String[] arguments) throws IOException {
    TimeSource time = SystemTime.source();
    RecordedAudit audit = new RecordedAudit();
    try (
        LockStore store = new FileLocks(Path.of(arguments[0]), true, time, SystemTime.scheduler(), audit, _ -> {})
            .open();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      Locks locks = TestLocks.of(store, audit, time);
      for (String order = orders.readLine(); order != null; order = orders.readLine()) {
        System.out.println(answer(locks, order).replace('\n', ' '));
      }
    }
    audit.events().forEach(event -> System.out.println("audit " + event));
  }

  private static String answer(Locks locks, String order) {
    TestRequest asking = TestRequest.by("req_holder", StoreCall.LOCK).withTtl(1);
    try {
      return switch (order) {
        case "acquire" -> grant(locks.acquire(asking.request()));
        case "acquire another" -> grant(locks.acquire(TestRequest.by("req_holder", "another").request()));
        case "renew" -> locks.renew(ACTOR, asking.name(), asking.owner(), FencingToken.NONE).getClass().getSimpleName();
        case "release" -> released(
            locks.release(ACTOR, asking.name(), asking.owner(), FencingToken.NONE, Locks.Result.SUCCESS, null));
        default -> "what?";
      };
    } catch (StorageException e) {
      return "StorageException " + e.getMessage();
    }
  }

  private static String grant(AcquireOutcome outcome) {
    return outcome.getClass().getSimpleName();
  }

  private static String released(ReleaseOutcome outcome) {
    return outcome instanceof ReleaseOutcome.Failed failed
        ? "Failed " + failed.error()
        : outcome.getClass().getSimpleName();
  }
}
