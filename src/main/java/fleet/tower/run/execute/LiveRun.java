package fleet.tower.run.execute;

import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;

/** The present state of a run that this process executes. Watchers wait for its changes. */
final class LiveRun implements RunHandle {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Condition ended = lock.newCondition();
  private final ProgressSignal heartbeat;
  private Run run;
  private long version;
  /** The version of the end of the run, or of the last call of {@link #wake}. */
  private long endVersion;
  private @Nullable Instant lastHeartbeat;
  private @Nullable HeartbeatFailure failure;
  private @Nullable Waiting waiting;

  LiveRun(Run run, ProgressSignal heartbeat) {
    this.run = run;
    this.heartbeat = heartbeat;
  }

  @Override
  public Run run() {
    lock.lock();
    try {
      return run;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long version() {
    lock.lock();
    try {
      return version;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Optional<Instant> lastHeartbeat() {
    lock.lock();
    try {
      return Optional.ofNullable(lastHeartbeat);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Optional<ProgressSignal> heartbeat() {
    return Optional.of(heartbeat);
  }

  @Override
  public Optional<Waiting> waiting() {
    lock.lock();
    try {
      return run.status() == RunStatus.WAITING ? Optional.ofNullable(waiting) : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void awaitChange(long seen) {
    lock.lock();
    try {
      while (version == seen) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void awaitEnd(long seen) {
    lock.lock();
    try {
      while (endVersion <= seen) {
        ended.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Changes the run, and wakes its watchers; those that wait for its end only when it has ended. */
  Run update(UnaryOperator<Run> change) {
    lock.lock();
    try {
      run = change.apply(run);
      if (run.status().isFinished()) {
        wake();
      } else {
        touch();
      }
      return run;
    } finally {
      lock.unlock();
    }
  }

  /** Shows watchers what the run waits for. */
  void waits(Waiting note) {
    lock.lock();
    try {
      waiting = note;
      touch();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void wake() {
    lock.lock();
    try {
      touch();
      endVersion = version;
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Wakes the watchers, because there is more output. */
  void touch() {
    lock.lock();
    try {
      version++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Optional<HeartbeatFailure> heartbeatFailure() {
    lock.lock();
    try {
      return Optional.ofNullable(failure);
    } finally {
      lock.unlock();
    }
  }

  void beatFailed(HeartbeatFailure failed) {
    lock.lock();
    try {
      failure = failed;
      run = run.withHeartbeatFailure();
      touch();
    } finally {
      lock.unlock();
    }
  }

  void beat(Instant at) {
    lock.lock();
    try {
      lastHeartbeat = at;
      failure = null;
      touch();
    } finally {
      lock.unlock();
    }
  }
}
