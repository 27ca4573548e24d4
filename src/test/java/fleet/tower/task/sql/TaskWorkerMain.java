package fleet.tower.task.sql;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.task.Agent;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.TaskStore;

/** An agent that claims, sends heartbeats, and closes or releases tasks until none is left; it prints its claims. */
final class TaskWorkerMain {
  static final Ttl TTL = new Ttl(1);
  /** Keeps the first claim until the process is killed. */
  static final String HOLD = "hold";

  private static final String BUSY = "was locked by another process for too long";

  private final TaskStore store;
  private final Agent agent;
  private final Random random;
  private final boolean holds;
  private int requests;

  private TaskWorkerMain(TaskStore store, Agent agent, Random random, boolean holds) {
    this.store = store;
    this.agent = agent;
    this.random = random;
    this.holds = holds;
  }

  /** Arguments: the database's URL, the agent, a seed, {@link #HOLD} or nothing. */
  static void main(String[] arguments) throws InterruptedException {
    try (TaskStore store = new SqlTasks(arguments[0], SystemTime.source()).open()) {
      TaskWorkerMain worker = new TaskWorkerMain(store, new Agent(arguments[1]),
          new Random(Long.parseLong(arguments[2])), List.of(arguments).contains(HOLD));
      System.out.println("ready");
      while (worker.isWorkLeft()) {
        worker.workUnlessBusy();
      }
      System.out.println("done");
    }
  }

  private boolean isWorkLeft() {
    return isAny(TaskStatus.PENDING) || isAny(TaskStatus.IN_PROGRESS);
  }

  private boolean isAny(TaskStatus status) {
    return !store.list(new TaskStore.Query(status, null, null, 1)).tasks().isEmpty();
  }

  /** A writer that others leave no turn for seconds, on a slow disk, tries again. */
  private void workUnlessBusy() throws InterruptedException {
    try {
      work();
    } catch (StorageException e) {
      if (!String.valueOf(e.getMessage()).contains(BUSY)) {
        throw e;
      }
    }
  }

  private void work() throws InterruptedException {
    TaskOutcome claimed = random.nextInt(4) == 0
        ? store.resume(call(), new TaskCommand.Resume(null, TTL, OptionalLong.empty()))
        : store.claim(call(), new TaskCommand.Claim(null, TTL, false));
    if (!(claimed instanceof TaskOutcome.Done done)) {
      pause();
      return;
    }
    Task task = done.seen().task();
    OptionalLong attempt = OptionalLong.of(task.attempt());
    say("claimed", task, claimed);
    if (holds) {
      new CountDownLatch(1).await();
    }
    for (int beats = random.nextInt(3); beats > 0; beats--) {
      say("beaten", task, store.change(call(), new TaskCommand.Heartbeat(task.id(), attempt, TTL)));
    }
    say("ended", task, store.change(call(), random.nextInt(4) == 0
        ? new TaskCommand.Release(task.id(), attempt)
        : new TaskCommand.Close(task.id(), attempt, TaskCommand.Ending.DONE, null)));
  }

  /** Until the next tenth of a second on the clock that all workers share, so that they try again at once. */
  private static void pause() {
    SystemTime.scheduler().pause(Duration.ofMillis(100 - SystemTime.source().now().toEpochMilli() % 100));
  }

  private void say(String what, Task task, TaskOutcome outcome) {
    System.out.println(outcome instanceof TaskOutcome.Done done
        ? what + " " + task.id() + " " + task.attempt() + " " + done.event().id()
        : "refused " + task.id() + " " + task.attempt() + " " + outcome);
  }

  private TaskCommand.Call call() {
    return new TaskCommand.Call(agent, new RequestId("r" + ++requests + "-" + Long.toHexString(random.nextLong())),
        null);
  }
}
