package fleet.tower.lock.sql;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.time.WakeUp;

/** A waiter of this process and its row. */
final class SqlQueuePlace implements WaitQueue.Place {
  private final SqlNameQueue queue;
  private final Row row;
  private final WakeUp wakeUp;
  private final AtomicBoolean closed = new AtomicBoolean();

  SqlQueuePlace(SqlNameQueue queue, Row row, WakeUp wakeUp) {
    this.queue = queue;
    this.row = row;
    this.wakeUp = wakeUp;
  }

  /** The row of a waiter, which is restored if others remove it. */
  record Row(long sequence, String requestId, @Nullable String actor, @Nullable String intent, long since) {}

  Row row() {
    return row;
  }

  long sequence() {
    return row.sequence();
  }

  void wake() {
    wakeUp.signal();
  }

  @Override
  public Standing standing(boolean refresh) {
    return queue.standing(this, refresh);
  }

  @Override
  public int position() {
    return queue.position(this);
  }

  /** True also while the connection is down: polling more often would load a server in trouble. */
  @Override
  public boolean isNotified() {
    return true;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      queue.leave(this);
    }
  }
}
