package fleet.tower.task.worker;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseRules;
import fleet.tower.lease.Ttl;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.task.TaskCommand;

/**
 * Keeps one claim alive, thrice in its life, until it is stopped or the claim is lost. It is lost when its place says so, and
 * also when no beat has arrived for a whole ttl: from then on somebody else may have the task, whether anybody can be asked or
 * not. The ttl is counted from before a beat was sent, so that this gives up no later than anybody else may begin.
 */
final class ClaimRenewer {
  private final Claims claims;
  private final Claims.Claimed claimed;
  private final Ttl ttl;
  private final Supplier<TaskCommand.Call> calls;
  private final Clock clock;
  private final WorkListener listener;
  private final Runnable onLost;
  private final ReentrantLock lock = new ReentrantLock();
  private long deadlineNanos;
  private int consecutiveFailures;
  private boolean isOver;
  private @Nullable ProgressSignal proof;
  private long provenBeats;
  private boolean isLost;
  private Scheduler.@Nullable Pending next;
  private Scheduler.@Nullable Pending watch;

  /**
   * What tells the time.
   *
   * @param maxInterval beats are no rarer than this
   */
  record Clock(TimeSource time, Scheduler scheduler, Duration maxInterval) {}

  ClaimRenewer(Claims claims, Claims.Claimed claimed, Ttl ttl, Supplier<TaskCommand.Call> calls, Clock clock,
      WorkListener listener, Runnable onLost) {
    this.claims = claims;
    this.claimed = claimed;
    this.ttl = ttl;
    this.calls = calls;
    this.clock = clock;
    this.listener = listener;
    this.onLost = onLost;
  }

  /** @param askedNanos when the claim was asked for */
  void start(long askedNanos) {
    lock.lock();
    try {
      deadlineNanos = askedNanos + ttl.duration().toNanos();
      scheduleBeat();
      scheduleWatch();
    } finally {
      lock.unlock();
    }
  }

  /** From now on the claim is renewed only when the work has beaten since it last was; a task that is stuck is offered again. */
  void liveBy(ProgressSignal work) {
    lock.lock();
    try {
      provenBeats = 0;
      proof = work;
    } finally {
      lock.unlock();
    }
  }

  /** Beats now, as one does who was stopped for an unknown time. */
  void renew() {
    if (!isOver()) {
      beatOnce();
    }
  }

  /** Sends no beat any more. */
  void stop() {
    lock.lock();
    try {
      end();
    } finally {
      lock.unlock();
    }
  }

  /** Whether the task is somebody else's, as far as is known. */
  boolean isLost() {
    lock.lock();
    try {
      return isLost;
    } finally {
      lock.unlock();
    }
  }

  private boolean isOver() {
    lock.lock();
    try {
      return isOver;
    } finally {
      lock.unlock();
    }
  }

  private void beat() {
    renew();
    lock.lock();
    try {
      if (!isOver) {
        scheduleBeat();
      }
    } finally {
      lock.unlock();
    }
  }

  private void beatOnce() {
    long stamp = clock.time().nanos();
    ProgressSignal work = work();
    long beats = work == null ? 0 : work.beats();
    if (work != null && beats == provenBeats()) {
      fail("no progress since " + Timestamps.format(work.lastAt()));
      return;
    }
    try {
      take(claims.perform(calls.get(), new TaskCommand.Heartbeat(claimed.task().id(),
          OptionalLong.of(claimed.attempt()), ttl)), stamp, beats);
    } catch (RuntimeException e) {
      fail(e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  private @Nullable ProgressSignal work() {
    lock.lock();
    try {
      return proof;
    } finally {
      lock.unlock();
    }
  }

  private long provenBeats() {
    lock.lock();
    try {
      return provenBeats;
    } finally {
      lock.unlock();
    }
  }

  private void fail(String error) {
    int failures;
    lock.lock();
    try {
      failures = ++consecutiveFailures;
    } finally {
      lock.unlock();
    }
    listener.heartbeatFailed(claimed, failures, error);
  }

  private void take(Claims.Answer answer, long stamp, long beats) {
    switch (answer) {
      case DONE -> renewed(stamp, beats);
      case SETTLED -> stop();
      case LOST -> lose();
    }
  }

  private void renewed(long stamp, long beats) {
    lock.lock();
    try {
      consecutiveFailures = 0;
      provenBeats = beats;
      deadlineNanos = Math.max(deadlineNanos, stamp + ttl.duration().toNanos());
    } finally {
      lock.unlock();
    }
  }

  private void watch() {
    boolean isTooLate;
    lock.lock();
    try {
      if (isOver) {
        return;
      }
      isTooLate = clock.time().nanos() - deadlineNanos > 0;
      if (!isTooLate) {
        scheduleWatch();
      }
    } finally {
      lock.unlock();
    }
    if (isTooLate) {
      lose();
    }
  }

  /** Tells it once, and outside the lock: ending what is at work takes its time. */
  private void lose() {
    lock.lock();
    try {
      if (isOver) {
        return;
      }
      isLost = true;
      end();
    } finally {
      lock.unlock();
    }
    listener.lost(claimed);
    onLost.run();
  }

  private void end() {
    isOver = true;
    if (next != null) {
      next.cancel();
    }
    if (watch != null) {
      watch.cancel();
    }
  }

  private void scheduleBeat() {
    next = clock.scheduler().after(LeaseRules.heartbeatInterval(ttl, clock.maxInterval()), this::beat);
  }

  /** A little late rather than early: at the very moment of its expiry a claim is held. */
  private void scheduleWatch() {
    Duration left = Duration.ofNanos(Math.max(0, deadlineNanos - clock.time().nanos())).plusMillis(10);
    watch = clock.scheduler().after(left, this::watch);
  }
}
