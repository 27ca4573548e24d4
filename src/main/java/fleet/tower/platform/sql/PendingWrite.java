package fleet.tower.platform.sql;

import static java.util.Objects.requireNonNull;

import java.sql.SQLException;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;

/** A write that waits to be executed, and its outcome. */
final class PendingWrite<T extends @Nullable Object> {
  private final boolean isDurable;
  private final Database.Work<T> work;
  private final Semaphore woken = new Semaphore(0);
  private boolean isDone;
  private @Nullable T result;
  private @Nullable Throwable failure;

  PendingWrite(boolean isDurable, Database.Work<T> work) {
    this.isDurable = isDurable;
    this.work = work;
  }

  boolean isDurable() {
    return isDurable;
  }

  /** Runs the work. Its result counts only after {@link #succeed}; after a rollback it may run again. */
  void attempt(Session session) throws SQLException {
    result = work.run(session);
  }

  void succeed() {
    isDone = true;
  }

  void fail(Throwable reason) {
    failure = reason;
    isDone = true;
  }

  boolean isDone() {
    return isDone;
  }

  /** Waits until this write is done or must lead the next batch. */
  void await() {
    woken.acquireUninterruptibly();
  }

  void wake() {
    woken.release();
  }

  /** The result; throws the failure with the stack trace of this thread. */
  @SuppressWarnings("NullAway") // a result is null only where T may be
  T outcome() {
    if (!isDone) {
      throw new IllegalStateException("the work was never done");
    }
    return switch (failure) {
      case null -> result;
      case StorageException e -> throw new StorageException(requireNonNull(e.getMessage()), e);
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    };
  }
}
