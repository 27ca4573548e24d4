package fleet.tower.lock.sql;

import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.RenewOutcome;
import fleet.tower.platform.StorageException;

/** A heartbeat that waits to be sent or answered. */
final class Pending {
  final Renewals.Request request;
  final long untilNanos;
  private final Semaphore woken = new Semaphore(0);
  private volatile @Nullable RenewOutcome outcome;
  private volatile @Nullable Throwable failure;

  Pending(Renewals.Request request, long untilNanos) {
    this.request = request;
    this.untilNanos = untilNanos;
  }

  /** @param answer null if the lease was neither renewed nor lost, because it changed meanwhile */
  void answer(@Nullable RenewOutcome answer) {
    if (answer == null) {
      failure = new StorageException("lock " + request.name() + " changed while it was being renewed; it is retried");
    } else {
      outcome = answer;
    }
    woken.release();
  }

  void fail(Throwable reason) {
    failure = reason;
    woken.release();
  }

  /** Wakes the waiter so that it sends for all. */
  void send() {
    woken.release();
  }

  /** Waits until this is answered, or until it becomes the sender. */
  boolean isDoneAfterWaking() {
    woken.acquireUninterruptibly();
    return outcome != null || failure != null;
  }

  /** The outcome; a failure gets this thread's own stack trace. */
  RenewOutcome outcome() {
    RenewOutcome answer = outcome;
    Throwable reason = failure;
    if (answer == null) {
      throw reason == null
          ? new IllegalStateException("lock " + request.name() + " was read before its renewal was answered")
          : new StorageException(String.valueOf(reason.getMessage()), reason);
    }
    return answer;
  }
}
