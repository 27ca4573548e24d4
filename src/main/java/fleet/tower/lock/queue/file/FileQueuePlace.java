package fleet.tower.lock.queue.file;

import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.time.WakeUp;

/** A waiter of this process and its current ticket. */
final class FileQueuePlace implements WaitQueue.Place {
  private final FileNameQueue queue;
  private final WaitingRequest request;
  private final WakeUp wakeUp;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile Ticket ticket;

  FileQueuePlace(FileNameQueue queue, WaitingRequest request, WakeUp wakeUp, Ticket ticket) {
    this.queue = queue;
    this.request = request;
    this.wakeUp = wakeUp;
    this.ticket = ticket;
  }

  WaitingRequest request() {
    return request;
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
