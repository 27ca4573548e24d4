package fleet.tower.lock.queue.file;

import static fleet.tower.lease.Actors.ACTOR;

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

import fleet.tower.lease.FencingToken;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.Presence;
import fleet.tower.platform.disk.ProcessFiles;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.FineClock;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;

/**
 * Waits for a lock on threads of its own by commands from its input, {@code ID MILLIS}: holds it for that time, and
 * logs when it got and released it. For its waits time passes only by the command {@code pass MILLIS}, so that it
 * overtakes no other process that is only slow.
 */
final class WaiterMain {
  private static final Scheduler SCHEDULER = SystemTime.scheduler();

  private final ManualTime clock = new ManualTime();
  private final Locks locks;
  private final FileOutputStream history;
  private final Scheduler timers;

  private WaiterMain(LockStore store, WaitQueue queue, FileOutputStream history, boolean hasTimers) {
    this.locks = TestLocks.of(store, _ -> true, clock, queue);
    this.history = history;
    this.timers = hasTimers ? SCHEDULER : clock;
  }

  /** Arguments: home, history file, and whether the timers of waits fire; without them, only notifications wake. */
  static void main(String[] arguments) throws IOException {
    Path home = Path.of(arguments[0]);
    try (Presence presence = new ProcessFiles(home.resolve("state/processes")).open();
        LockStore store = new FileLocks(home.resolve("logs/locks"), true, SystemTime.source(), SCHEDULER, _ -> true,
            _ -> {}).open();
        FileOutputStream history = new FileOutputStream(arguments[1], true);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      WaiterMain waiter = new WaiterMain(store,
          new WaitQueueFiles(home.resolve("logs/locks"), presence, System.out::println).open(), history,
          Boolean.parseBoolean(arguments[2]));
      for (String order = orders.readLine(); order != null; order = orders.readLine()) {
        String[] words = order.split(" ", -1);
        Duration duration = Duration.ofMillis(Long.parseLong(words[1]));
        if (words[0].equals("pass")) {
          waiter.clock.advance(duration);
        } else {
          Thread.ofVirtual().start(() -> waiter.waitAndHold(words[0], duration));
        }
      }
    }
    Runtime.getRuntime().halt(0);
  }

  private void waitAndHold(String id, Duration hold) {
    TestRequest asking = TestRequest.by(id, "prod");
    try {
      WaitOutcome<AcquireOutcome, ?> outcome = locks.acquire(asking.request(),
          new Wait(Wait.MAX_LIMIT, timers, (_, _, _) -> {}, new Cancellation()));
      long now = FineClock.nanos();
      write((outcome instanceof WaitOutcome.Answered(AcquireOutcome.Granted _) ? "enter " : outcome + " ") + id, now);
      SCHEDULER.pause(hold);
      write("exit " + id, FineClock.nanos());
      locks.release(ACTOR, asking.name(), asking.owner(), FencingToken.NONE, Locks.Result.SUCCESS, null);
    } catch (IOException | RuntimeException e) {
      System.out.println(e);
    }
  }

  private void write(String what, long nanos) throws IOException {
    history.write((what + " " + nanos + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
