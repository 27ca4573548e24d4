package fleet.tower.lock.sql;

import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.RenewOutcome;
import fleet.tower.platform.StorageException;

/** One heartbeat that waits to be sent or answered. */
final class Pending {
  final Renewals.Asked asked;
  final long untilNanos;
  private final Semaphore woken = new Semaphore(0);
  private volatile @Nullable RenewOutcome outcome;
  private volatile @Nullable Throwable failure;

  Pending(Renewals.Asked asked, long untilNanos) {
    this.asked = asked;
    this.untilNanos = untilNanos;
  }

  /** @param told null where it was neither renewed nor lost: it changed in between */
  void answer(@Nullable RenewOutcome told) {
    if (told == null) {
      failure = new StorageException("lock " + asked.name() + " changed while it was renewed; it is tried again");
    } else {
      outcome = told;
    }
    woken.release();
  }

  void fail(Throwable reason) {
    failure = reason;
    woken.release();
  }

  /** Wakes who waits for this to send for all. */
  void lead() {
    woken.release();
  }

  /** Sleeps until this is answered, or its turn to lead has come. */
  boolean isDoneAfterWaking() {
    woken.acquireUninterruptibly();
    return outcome != null || failure != null;
  }

  /** With this thread's own trace. */
  RenewOutcome outcome() {
    RenewOutcome told = outcome;
    Throwable reason = failure;
    if (told == null) {
      throw reason == null
          ? new IllegalStateException("lock " + asked.name() + " was asked for before it was answered")
          : new StorageException(String.valueOf(reason.getMessage()), reason);
    }
    return told;
  }
}
