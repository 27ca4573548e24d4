package fleet.tower.task.worker;

import static java.util.Objects.requireNonNull;

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
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;

/**
 * Takes tasks one after the other and does them.
 *
 * <ol>
 * <li>A task is claimed; the claim is kept alive for as long as the task is being done, and no longer.
 * <li>A claim that is lost ends the work, and nothing is said about the task any more: it is somebody else's.
 * <li>What is done is closed as done, what failed as blocked, what was broken off is given back.
 * <li>Where it is not known whether a close has arrived, the same request is sent again: it is done once.
 * <li>When several tasks in a row failed, the fault is more likely here than with them, and no more are taken.
 * </ol>
 */
public final class Worker {
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final int ATTEMPTS = 5;

  private final Claims claims;
  private final TaskRunner craft;
  private final Identity identity;
  private final ClaimRenewer.Clock clock;
  private final WorkListener listener;
  private final List<Result> results = new ArrayList<>();
  private volatile boolean stopped;

  public Worker(Claims claims, TaskRunner craft, Identity identity, TimeSource time, Scheduler scheduler,
      Duration maxInterval, WorkListener listener) {
    this.claims = requireNonNull(claims);
    this.craft = requireNonNull(craft);
    this.identity = requireNonNull(identity);
    this.clock = new ClaimRenewer.Clock(time, scheduler, maxInterval);
    this.listener = requireNonNull(listener);
  }

  /**
   * Who works.
   *
   * @param ids makes ids that nobody else has, one for each request
   */
  public record Identity(Agent agent, Supplier<RequestId> ids) {
    TaskCommand.Call call() {
      return new TaskCommand.Call(agent, ids.get(), new Actor(agent.name(), Door.CLI));
    }
  }

  /**
   * What is worked on, and how long.
   *
   * @param maxTasks so many tasks, and no more
   * @param maxFailures so many failures in a row, and no more
   * @param isPatient whether to wait for tasks when there are none
   */
  public record Terms(TaskCommand.Claim claim, long maxTasks, long maxFailures, boolean isPatient) {}

  /** What became of a task. */
  public enum Fate {
    DONE, BLOCKED, SETTLED, RELEASED, LOST
  }

  /** What became of one task. */
  public record Result(TaskId task, long attempt, Fate fate, @Nullable String reason) {}

  /** Takes no further task; the one at work is not touched. */
  public void stop() {
    stopped = true;
  }

  /** Works until there is nothing more to do, or it may not, or is told to stop. */
  public List<Result> run(Terms terms) {
    int failures = 0;
    while (!stopped && results.size() < terms.maxTasks() && failures < terms.maxFailures()) {
      long asked = clock.time().nanos();
      switch (claim(terms.claim())) {
        case Claims.Claimed claimed -> {
          Result result = work(claimed, terms.claim().ttl(), asked);
          results.add(result);
          failures = result.fate() == Fate.BLOCKED ? failures + 1 : 0;
          stopped |= result.fate() == Fate.RELEASED;
        }
        case Claims.Missed() -> {
        }
        case Claims.Nothing() -> {
          stopped |= !terms.isPatient();
          if (!stopped) {
            clock.scheduler().pause(BETWEEN_LOOKS);
          }
        }
      }
    }
    return List.copyOf(results);
  }

  private Claims.Offer claim(TaskCommand.Claim command) {
    TaskCommand.Call call = identity.call();
    return surely(() -> claims.claim(call, command));
  }

  private Result work(Claims.Claimed claimed, Ttl ttl, long asked) {
    listener.claimed(claimed);
    if (stopped) {
      return release(claimed, "told to stop");
    }
    Leash leash = new Leash();
    ClaimRenewer beat = new ClaimRenewer(claims, claimed, ttl, identity::call, clock, listener, leash::pull);
    beat.start(asked);
    TaskRunner.End end;
    try {
      TaskRunner.Job job = craft.begin(claimed);
      leash.put(job);
      job.proof().ifPresent(beat::liveBy);
      end = job.await(beat::renew);
    } catch (RuntimeException | Error e) {
      beat.stop();
      release(claimed, e.getMessage() == null ? e.toString() : e.getMessage());
      throw e;
    }
    beat.stop();
    if (beat.isLost()) {
      return result(claimed, Fate.LOST, null);
    }
    return switch (end) {
      case TaskRunner.Done(String note) -> close(claimed, TaskCommand.Ending.DONE, note == null ? null : fitting(note));
      case TaskRunner.Failed(String reason) -> close(claimed, TaskCommand.Ending.BLOCKED,
          fitting(TaskCommand.Close.FAILURE + " " + reason));
      case TaskRunner.GivenBack(String why) -> release(claimed, why);
    };
  }

  /** Ends a job whose claim is lost, also when that is known before the job is. */
  private static final class Leash {
    private TaskRunner.@Nullable Job job;
    private boolean pulled;

    void put(TaskRunner.Job begun) {
      synchronized (this) {
        job = begun;
        if (!pulled) {
          return;
        }
      }
      begun.stop();
    }

    void pull() {
      TaskRunner.Job begun;
      synchronized (this) {
        pulled = true;
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
        new TaskCommand.Close(claimed.task().id(), OptionalLong.of(claimed.attempt()), ending, reason)))) {
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
        new TaskCommand.Release(claimed.task().id(), OptionalLong.of(claimed.attempt()))))) {
      case DONE -> {
        listener.released(claimed, why);
        yield result(claimed, Fate.RELEASED, why);
      }
      // Also then the worker has to end, for the reason that it wanted to give it back for.
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
    return new Result(claimed.task().id(), claimed.attempt(), fate, reason);
  }

  /** The same call again, where it is not known what came of it. */
  private <T> T surely(Supplier<T> call) {
    for (int attempt = 1;; attempt++) {
      try {
        return call.get();
      } catch (RuntimeException e) {
        if (attempt == ATTEMPTS || !claims.isPassing(e)) {
          throw e;
        }
        clock.scheduler().pause(BETWEEN_LOOKS);
      }
    }
  }

  /** On one line and as short as a reason may be. */
  private static String fitting(String reason) {
    StringBuilder fitting = new StringBuilder();
    reason.strip().codePoints()
        .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE ? ' ' : c)
        .limit(TaskCommand.Close.MAX_REASON).forEach(fitting::appendCodePoint);
    return fitting.toString();
  }
}
