package fleet.tower.lock.queue.file;

import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.QueuePlace;
import fleet.tower.platform.wait.WakeUp;

/** One of this process' waiters, and the ticket that he holds now. */
final class FileQueuePlace implements QueuePlace {
  private final NameQueue line;
  private final RequestId who;
  private final WakeUp bell;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile Ticket ticket;

  FileQueuePlace(NameQueue line, RequestId who, WakeUp bell, Ticket ticket) {
    this.line = line;
    this.who = who;
    this.bell = bell;
    this.ticket = ticket;
  }

  RequestId who() {
    return who;
  }

  Ticket ticket() {
    return ticket;
  }

  /** Gets another ticket, because somebody has removed his. */
  void holds(Ticket other) {
    ticket = other;
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

  @Override
  public boolean isToldOfChanges() {
    return line.isToldOfChanges();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      line.leave(this);
    }
  }
}
