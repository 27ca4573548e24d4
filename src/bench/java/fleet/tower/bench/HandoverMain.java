package fleet.tower.bench;

import static fleet.tower.lease.Actors.ACTOR;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import fleet.tower.lease.FencingToken;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.lock.queue.file.WaitQueueFiles;
import fleet.tower.platform.Presence;
import fleet.tower.platform.disk.ProcessFiles;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;

/** A process with threads that wait for one lock repeatedly and print the intervals in which they held it. */
final class HandoverMain {
  private static final Duration HOLD = Duration.ofMillis(4);
  private static final Scheduler SCHEDULER = SystemTime.scheduler();

  private final Locks locks;
  private final List<String> holds = new CopyOnWriteArrayList<>();

  private HandoverMain(Locks locks) {
    this.locks = locks;
  }

  /** Arguments: home, threads, rounds of each. */
  public static void main(String[] arguments) throws InterruptedException {
    Path home = Path.of(arguments[0]);
    Path directory = home.resolve("logs/locks");
    try (Presence presence = new ProcessFiles(home.resolve("state/processes")).open();
        LockStore store = new FileLocks(directory, true, SystemTime.source(), SCHEDULER, _ -> true, _ -> {}).open()) {
      HandoverMain main = new HandoverMain(BenchLocks.of(store, _ -> true, SystemTime.source(),
          new WaitQueueFiles(directory, presence, System.err::println).open()));
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
        String id = "r-" + ProcessHandle.current().pid() + "-" + i;
        threads.add(Thread.ofVirtual().start(() -> main.waitAndHold(id, Integer.parseInt(arguments[2]))));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      main.holds.forEach(System.out::println);
    }
  }

  private void waitAndHold(String id, int rounds) {
    AcquireRequest request = LockBench.request("handed-over", id);
    for (int i = 0; i < rounds; i++) {
      LockBench.expect(locks.acquire(request, new Wait(Wait.MAX_LIMIT, SCHEDULER,
          (_, _, _) -> {})) instanceof WaitOutcome.Answered(AcquireOutcome.Granted _));
      long entered = System.nanoTime();
      SCHEDULER.pause(HOLD);
      holds.add(entered + " " + System.nanoTime());
      locks.release(ACTOR, request.name(), request.owner(), FencingToken.NONE, Locks.Result.SUCCESS, null);
    }
  }
}
