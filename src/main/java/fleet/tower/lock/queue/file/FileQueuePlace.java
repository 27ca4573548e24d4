package fleet.tower.lock.queue.file;

import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.QueuePlace;
import fleet.tower.platform.wait.WakeUp;

/** A waiter of this process and its current ticket. */
final class FileQueuePlace implements QueuePlace {
  private final NameQueue queue;
  private final RequestId requestId;
  private final WakeUp wakeUp;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile Ticket ticket;

  FileQueuePlace(NameQueue queue, RequestId requestId, WakeUp wakeUp, Ticket ticket) {
    this.queue = queue;
    this.requestId = requestId;
    this.wakeUp = wakeUp;
    this.ticket = ticket;
  }

  RequestId requestId() {
    return requestId;
  }

  Ticket ticket() {
    return ticket;
  }

  /** Replaces the ticket after its file was removed by another program. */
  void replaceTicket(Ticket replacement) {
    ticket = replacement;
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

  @Override
  public boolean isNotified() {
    return queue.isNotified();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      queue.leave(this);
    }
  }
}
