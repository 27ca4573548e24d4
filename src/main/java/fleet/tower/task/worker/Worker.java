package fleet.tower.task.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.WakeUp;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;

/**
 * Claims tasks one after the other and does them.
 *
 * <ol>
 * <li>A claim is kept alive while its task is being done, and no longer.
 * <li>A claim that is lost ends the work, and the task is not changed any more: another agent may have it.
 * <li>A task that succeeded is closed as done, one that failed as blocked; one that was interrupted is released.
 * <li>A close whose answer is lost is sent again with the same request id, so it is done once.
 * <li>After several failures in a row no more tasks are claimed: the fault is more likely here than in the tasks.
 * </ol>
 */
public final class Worker {
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  /** The interval of polls if notices arrive; a poll finds tasks whose claims have expired, and lost notices. */
  private static final Duration BETWEEN_LOOKS_WITH_NOTICES = Duration.ofSeconds(3);
  private static final int ATTEMPTS = 5;

  private final Claims claims;
  private final TaskRunner runner;
  private final Identity identity;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final LeaseRenewers renewers;
  private final Listener listener;
  private final List<Result> results = new ArrayList<>();
  private final Notices notices;
  private final WakeUp wakeUp = new WakeUp();
  private volatile boolean stopped;

  public Worker(Claims claims, Notices notices, TaskRunner runner, Identity identity, TimeSource time,
      Scheduler scheduler, Duration maxInterval, Listener listener) {
    this.claims = claims;
    this.notices = notices;
    this.runner = runner;
    this.identity = identity;
    this.time = time;
    this.scheduler = scheduler;
    this.renewers = new LeaseRenewers(time, scheduler, maxInterval);
    this.listener = listener;
  }

  /**
   * The agent that works.
   *
   * @param ids creates a unique id for each request
   */
  public record Identity(Agent agent, Supplier<RequestId> ids) {
    TaskCommand.Call call() {
      return new TaskCommand.Call(agent, ids.get(), new Actor(agent.name(), Door.CLI));
    }
  }

  /**
   * The tasks to claim, and when to stop.
   *
   * @param maxTasks the number of tasks after which the worker stops
   * @param maxFailures the number of failures in a row after which the worker stops
   * @param isPatient whether to wait for tasks when there are none
   */
  public record Limits(TaskCommand.Claim claim, long maxTasks, long maxFailures, boolean isPatient) {}

  /** How the work on a task ended. */
  public enum Fate {
    DONE, BLOCKED, SETTLED, RELEASED, LOST
  }

  /** The result of one task. */
  public record Result(TaskId task, long attempt, Fate fate, @Nullable String reason) {}

  /** Claims no further task; the current one continues. */
  public void stop() {
    stopped = true;
    wakeUp.signal();
  }

  /** Works until there are no more tasks, a limit is reached, or it is stopped. */
  public List<Result> run(Limits limits) {
    if (!limits.isPatient()) {
      return work(limits);
    }
    try (var _ = notices.subscribe(Notices.Listener.of(wakeUp::signal))) {
      return work(limits);
    }
  }

  private List<Result> work(Limits limits) {
    int failures = 0;
    while (!stopped && results.size() < limits.maxTasks() && failures < limits.maxFailures()) {
      long asked = time.nanos();
      switch (claim(limits.claim())) {
        case Claims.Claimed claimed -> {
          Result result = work(claimed, limits.claim().ttl(), asked);
          results.add(result);
          failures = result.fate() == Fate.BLOCKED ? failures + 1 : 0;
          stopped |= result.fate() == Fate.RELEASED;
        }
        case Claims.Missed() -> {
        }
        case Claims.Halted(RuntimeException refusal) -> {
          if (!limits.isPatient()) {
            throw refusal;
          }
          sleep();
        }
        case Claims.Nothing() -> {
          stopped |= !limits.isPatient();
          if (!stopped) {
            sleep();
          }
        }
      }
    }
    return List.copyOf(results);
  }

  /** Waits for a notice, a stop, or the time of the next look. */
  private void sleep() {
    Scheduler.Pending alarm = scheduler.after(
        notices.equals(Notices.NONE) ? BETWEEN_LOOKS : BETWEEN_LOOKS_WITH_NOTICES, wakeUp::signal);
    wakeUp.await();
    alarm.cancel();
  }

  private Claims.Offer claim(TaskCommand.Claim command) {
    TaskCommand.Call call = identity.call();
    return surely(() -> claims.claim(call, command));
  }

  private Result work(Claims.Claimed claimed, Ttl ttl, long asked) {
    listener.claimed(claimed);
    if (stopped) {
      return release(claimed, "stopped");
    }
    StopOnLoss stop = new StopOnLoss();
    ClaimRenewer renewer = new ClaimRenewer(claims, claimed, ttl, asked, identity::call, time, renewers, listener,
        stop::now);
    TaskRunner.End end;
    try {
      TaskRunner.Job job = runner.begin(claimed);
      stop.on(job);
      job.proof().ifPresent(renewer::liveBy);
      end = job.await(renewer::renew);
    } catch (RuntimeException | Error e) {
      renewer.stop();
      release(claimed, e.getMessage() == null ? e.toString() : e.getMessage());
      throw e;
    }
    renewer.stop();
    if (renewer.isLost()) {
      return result(claimed, Fate.LOST, null);
    }
    return switch (end) {
      case TaskRunner.Done(String note) -> close(claimed, TaskCommand.Ending.DONE, note == null ? null : fitting(note));
      case TaskRunner.Failed(String reason) -> close(claimed, TaskCommand.Ending.BLOCKED,
          fitting(TaskCommand.Close.FAILURE + " " + reason));
      case TaskRunner.GivenBack(String why) -> release(claimed, why);
    };
  }

  /** Ends a job whose claim is lost, even if the loss comes before the job. */
  private static final class StopOnLoss {
    private TaskRunner.@Nullable Job job;
    private boolean stopped;

    void on(TaskRunner.Job begun) {
      synchronized (this) {
        job = begun;
        if (!stopped) {
          return;
        }
      }
      begun.stop();
    }

    void now() {
      TaskRunner.Job begun;
      synchronized (this) {
        stopped = true;
        begun = job;
      }
      if (begun != null) {
        begun.stop();
      }
    }
  }

  private Result close(Claims.Claimed claimed, TaskCommand.Ending ending, @Nullable String reason) {
    TaskCommand.Call call = identity.call();
    return switch (surely(() -> claims.perform(call,
        new TaskCommand.Close(claimed.task(), OptionalLong.of(claimed.attempt()), ending, reason)))) {
      case DONE -> {
        listener.closed(claimed, ending, reason);
        yield result(claimed, ending == TaskCommand.Ending.DONE ? Fate.DONE : Fate.BLOCKED, reason);
      }
      case SETTLED -> {
        listener.settled(claimed);
        yield result(claimed, Fate.SETTLED, null);
      }
      case LOST -> lost(claimed);
    };
  }

  private Result release(Claims.Claimed claimed, String why) {
    TaskCommand.Call call = identity.call();
    return switch (surely(() -> claims.perform(call,
        new TaskCommand.Release(claimed.task(), OptionalLong.of(claimed.attempt()))))) {
      case DONE -> {
        listener.released(claimed, why);
        yield result(claimed, Fate.RELEASED, why);
      }
      // The worker must end anyway, for the same reason that it releases the task.
      case SETTLED -> {
        stopped = true;
        listener.settled(claimed);
        yield result(claimed, Fate.SETTLED, null);
      }
      case LOST -> {
        stopped = true;
        yield lost(claimed);
      }
    };
  }

  private Result lost(Claims.Claimed claimed) {
    listener.lost(claimed);
    return result(claimed, Fate.LOST, null);
  }

  private static Result result(Claims.Claimed claimed, Fate fate, @Nullable String reason) {
    return new Result(claimed.task(), claimed.attempt(), fate, reason);
  }

  /** Repeats a call whose answer is unknown. */
  private <T> T surely(Supplier<T> call) {
    for (int attempt = 1;; attempt++) {
      try {
        return call.get();
      } catch (RuntimeException e) {
        if (attempt == ATTEMPTS || !claims.isPassing(e)) {
          throw e;
        }
        scheduler.pause(BETWEEN_LOOKS);
      }
    }
  }

  /** The reason on one line, cut to the longest that is accepted. */
  private static String fitting(String reason) {
    StringBuilder fitting = new StringBuilder();
    reason.strip().codePoints()
        .map(c -> VisibleText.isHidden(c) ? ' ' : c)
        .limit(TaskCommand.Close.MAX_REASON).forEach(fitting::appendCodePoint);
    return fitting.toString();
  }

  /** Receives the progress of a worker. */
  public interface Listener {

    void claimed(Claims.Claimed claimed);

    /** The task is closed; {@code reason} may be null. */
    void closed(Claims.Claimed claimed, TaskCommand.Ending ending, @Nullable String reason);

    /** The task was closed or released while it was being done. */
    void settled(Claims.Claimed claimed);

    /** The task is available again. */
    void released(Claims.Claimed claimed, String why);

    /** The claim has expired, or another agent has it; the work done since does not count. */
    void lost(Claims.Claimed claimed);

    /** The claim was not renewed, for the {@code consecutiveFailures}th time in a row. */
    void heartbeatFailed(Claims.Claimed claimed, int consecutiveFailures, String error);
  }
}
