package fleet.tower.home;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

import fleet.tower.harness.JavaProcess;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.Owner;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.StorageException;

/**
 * A client that takes and releases one lock until it is told to end. It keeps its store open, changes to the fleet's
 * database when its home refuses, and releases there what it took before. While it holds the lock, it creates a file
 * that must not exist, and notes its token.
 */
public final class MoveHammerMain {
  private static final int MORE_ROUNDS = 20;

  private final Path root;
  private final String url;
  private final Path work;
  private final String name;
  private Home home;
  private LockStore locks;
  private boolean isInFleet;

  private MoveHammerMain(String[] arguments) {
    root = Path.of(arguments[0]);
    url = arguments[1];
    work = Path.of(arguments[2]);
    name = arguments[3];
    home = home("");
    locks = home.storage().lockStore();
  }

  /** Starts a client. */
  public static Process start(Path root, String url, Path work, String name) throws IOException {
    return new ProcessBuilder(JavaProcess.command(MoveHammerMain.class, root.toString(), url, work.toString(), name))
        .redirectErrorStream(true).redirectOutput(work.resolve(name + ".out").toFile()).start();
  }

  public static void main(String[] arguments) throws IOException {
    MoveHammerMain client = new MoveHammerMain(arguments);
    try {
      client.hammer();
    } finally {
      client.home.close();
    }
  }

  private Home home(String database) {
    return new Home(root, Map.of("TOWER_LOCK_INSECURE_DIRECTORY", "true", "TOWER_DATABASE_URL", database), _ -> {},
        Home.Listener.NONE);
  }

  private void hammer() throws IOException {
    int rounds = 0;
    for (int after = 0; after < MORE_ROUNDS;) {
      TestRequest request = TestRequest.by("req_" + name + "_" + rounds++, "hot");
      try {
        if (locks.acquire(request.request()) instanceof AcquireOutcome.Granted granted) {
          hold(request, granted.lease().lease());
        }
      } catch (StorageException refused) {
        useFleet(refused);
      }
      after += isInFleet && Files.exists(work.resolve("end")) ? 1 : 0;
    }
  }

  private void hold(TestRequest request, Lease lease) throws IOException {
    Path witness = Files.createFile(work.resolve("held"));
    Files.writeString(work.resolve("tokens"), lease.token() + "\n", StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    Files.writeString(work.resolve(name + ".had"), "");
    Files.delete(witness);
    release(request, lease.token());
  }

  private void release(TestRequest request, FencingToken token) {
    Owner owner = request.owner();
    for (;;) {
      try {
        ReleaseOutcome outcome = locks.release(request.name(), owner, token);
        if (!(outcome instanceof ReleaseOutcome.Released)) {
          throw new IllegalStateException("not released: " + outcome);
        }
        return;
      } catch (StorageException refused) {
        useFleet(refused);
      }
    }
  }

  /** Waits until the home permits the fleet's database, as a restarted client does. */
  private void useFleet(StorageException refused) {
    if (isInFleet) {
      throw refused;
    }
    home.close();
    while (!isInFleet) {
      home = home(url);
      try {
        locks = home.storage().lockStore();
        isInFleet = true;
      } catch (StorageException stillMoving) {
        home.close();
        Thread.onSpinWait();
      }
    }
  }
}
