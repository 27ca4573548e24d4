package fleet.tower.lock.queue.sql;

import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.QueuePlace;
import fleet.tower.platform.wait.WakeUp;

/** One of this process' waiters, and the row that is his. */
final class SqlQueuePlace implements QueuePlace {
  private final NameQueue line;
  private final RequestId who;
  private final WakeUp bell;
  private final long sequence;
  private final AtomicBoolean closed = new AtomicBoolean();

  SqlQueuePlace(NameQueue line, RequestId who, WakeUp bell, long sequence) {
    this.line = line;
    this.who = who;
    this.bell = bell;
    this.sequence = sequence;
  }

  RequestId who() {
    return who;
  }

  long sequence() {
    return sequence;
  }

  void wake() {
    bell.signal();
  }

  @Override
  public Standing standing(boolean anew) {
    return line.standing(this, anew);
  }

  @Override
  public int position() {
    return line.position(this);
  }

  /** Also while nothing is heard: to look more often would be a load on a server that may have trouble enough. */
  @Override
  public boolean isToldOfChanges() {
    return true;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      line.leave(this);
    }
  }
}
