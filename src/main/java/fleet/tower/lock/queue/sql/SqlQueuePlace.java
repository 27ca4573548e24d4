package fleet.tower.lock.queue.sql;

import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.QueuePlace;
import fleet.tower.platform.wait.WakeUp;

/** A waiter of this process and its row. */
final class SqlQueuePlace implements QueuePlace {
  private final NameQueue queue;
  private final RequestId requestId;
  private final WakeUp wakeUp;
  private final long sequence;
  private final AtomicBoolean closed = new AtomicBoolean();

  SqlQueuePlace(NameQueue queue, RequestId requestId, WakeUp wakeUp, long sequence) {
    this.queue = queue;
    this.requestId = requestId;
    this.wakeUp = wakeUp;
    this.sequence = sequence;
  }

  RequestId requestId() {
    return requestId;
  }

  long sequence() {
    return sequence;
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
