package fleet.tower.platform.sql;

import static java.util.Objects.requireNonNull;

import java.sql.SQLException;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;

/** One piece of writing that waits for its turn, and what came of it. */
final class Turn<T extends @Nullable Object> {
  private final boolean isDurable;
  private final Database.Work<T> work;
  private final Semaphore woken = new Semaphore(0);
  private boolean isDone;
  private @Nullable T result;
  private @Nullable Throwable failure = new IllegalStateException("the work was never done");

  Turn(boolean isDurable, Database.Work<T> work) {
    this.isDurable = isDurable;
    this.work = work;
  }

  boolean isDurable() {
    return isDurable;
  }

  /** Does the work; what comes of it counts only with {@link #succeed}. It may be done again, after a rollback. */
  void attempt(Session session) throws SQLException {
    result = work.run(session);
  }

  void succeed() {
    failure = null;
    isDone = true;
  }

  void fail(Throwable reason) {
    failure = reason;
    isDone = true;
  }

  boolean isDone() {
    return isDone;
  }

  /** Whoever waits here is woken when his turn is done, or to lead. */
  void await() {
    woken.acquireUninterruptibly();
  }

  void wake() {
    woken.release();
  }

  /** The result, or the failure with this thread's own trace. */
  @SuppressWarnings("NullAway") // a result is null only where T may be
  T outcome() {
    return switch (failure) {
      case null -> result;
      case StorageException e -> throw new StorageException(requireNonNull(e.getMessage()), e);
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    };
  }
}
