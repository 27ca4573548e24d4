package fleet.tower.lock.queue.file;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.lock.queue.WaitQueue.Place.Standing;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.Presence;
import fleet.tower.platform.time.WakeUp;

/**
 * This process' part of the queue of one name. Its waiters have their own order; the first of them, the head, reads all
 * tickets, and the others sleep until they become the head.
 *
 * <p>When a ticket is removed, only the next process reads the queue: each head waits for the end of the ticket right
 * before its own ({@link TicketWatch}). Only the first few processes watch for releases.
 */
final class FileNameQueue {
  /**
   * With at most this many processes ahead, this one watches for releases already. Starting to watch takes as long as a
   * hand-over, and nothing notifies a waiter that it has become the second.
   */
  private static final int MAX_WATCHING = 4;

  private final TicketDirectory tickets;
  private final Presence presence;
  private final ReleaseWatch releases;
  private final ReentrantLock lock = new ReentrantLock();
  /** In order of arrival, which is also the order of their tickets. */
  private final Deque<FileQueuePlace> ours = new ArrayDeque<>();
  private volatile @Nullable FileQueuePlace head;
  private volatile boolean changed = true;
  private volatile boolean released;
  private volatile Standing standing = new Standing.BehindOwn();
  private volatile NavigableSet<Ticket> seen = new TreeSet<>();
  private int countedBefore;
  /** The watch on the ticket right before the head's; null if there is none or it cannot be watched. */
  private volatile @Nullable TicketWatch before;
  /** The ticket whose watch ended. If it still exists, its owner does not keep it locked. */
  private volatile @Nullable Ticket ended;

  FileNameQueue(TicketDirectory tickets, Presence presence, ReleaseWatch releases) {
    this.tickets = tickets;
    this.presence = presence;
    this.releases = releases;
  }

  /** A watch for releases of the name. */
  interface ReleaseWatch {
    /** Starts watching, if possible. */
    void open();

    boolean isOpen();

    /** A waiter has left. */
    void left();
  }

  WaitQueue.JoinOutcome join(WaitingRequest request, WakeUp wakeUp) throws IOException {
    lock.lock();
    try {
      NavigableSet<Ticket> present = restored();
      if (present.size() >= WaitQueue.LIMIT && living(present).size() >= WaitQueue.LIMIT) {
        return new WaitQueue.JoinOutcome.Full();
      }
      FileQueuePlace place = new FileQueuePlace(this, request, wakeUp, tickets.create(presence.id(), request));
      ours.addLast(place);
      seen = with(present, place.ticket());
      if (head == null) {
        promote(place);
      }
      return new WaitQueue.JoinOutcome.Joined(place);
    } finally {
      lock.unlock();
    }
  }

  void leave(FileQueuePlace place) {
    lock.lock();
    try {
      tickets.remove(place.ticket());
      ours.remove(place);
      FileQueuePlace next = ours.peekFirst();
      if (next == null) {
        head = null;
        watch(null);
        tickets.removeIfEmpty();
      } else if (place.equals(head)) {
        promote(next);
        next.wake();
      }
    } finally {
      lock.unlock();
    }
    releases.left();
  }

  Standing standing(FileQueuePlace place, boolean refresh) {
    if (!place.equals(head)) {
      return new Standing.BehindOwn();
    }
    if (changed || released || refresh) {
      lock.lock();
      try {
        released = false;
        if (changed || !isUnchanged(place)) {
          readQueue(place);
        }
      } catch (IOException e) {
        throw tickets.unusable(e);
      } finally {
        lock.unlock();
      }
    }
    return standing;
  }

  int position(FileQueuePlace place) {
    return seen.headSet(place.ticket()).size();
  }

  boolean isNotified() {
    TicketWatch watch = before;
    return standing instanceof Standing.First ? releases.isOpen() : watch != null && watch.isOpen();
  }

  /** The name may be free. */
  void released() {
    FileQueuePlace first = head;
    if (first != null && standing instanceof Standing.First) {
      released = true;
      first.wake();
    }
  }

  /** Anything may have changed. */
  void refresh() {
    changed = true;
    FileQueuePlace first = head;
    if (first != null) {
      first.wake();
    }
  }

  private void promote(FileQueuePlace place) {
    changed = true;
    standing = new Standing.BehindOwn();
    head = place;
  }

  /**
   * Whether nothing notified has changed, nor the number of tickets ahead: a slow check of a long wait checks no more
   * than that. Tickets are only removed, except while several waiters join at once.
   */
  private boolean isUnchanged(FileQueuePlace place) throws IOException {
    ended = null;
    return (standing instanceof Standing.First || isNotified())
        && tickets.countBefore(place.ticket()) == countedBefore;
  }

  private void readQueue(FileQueuePlace place) throws IOException {
    changed = false;
    // First, so that the next check sees changes made during this one.
    countedBefore = tickets.countBefore(place.ticket());
    NavigableSet<Ticket> present = restored();
    dropDead(present, NavigableSet::first);
    dropDead(present, NavigableSet::last);
    NavigableSet<Ticket> others = present.headSet(place.ticket(), false);
    dropDead(others, NavigableSet::last);
    seen = present;
    int processes = (int) others.stream().map(Ticket::process).distinct().count();
    standing = others.isEmpty()
        ? new Standing.First()
        : new Standing.BehindOthers(others.first().file(), processes);
    watch(others.isEmpty() ? null : others.last());
    if (processes <= MAX_WATCHING) {
      releases.open();
    }
  }

  /**
   * Waits for the end of one ticket. A ticket whose watch has ended is not watched again before the next slow check.
   */
  private void watch(@Nullable Ticket ticket) {
    TicketWatch open = before;
    if (open != null && open.ticket().equals(ticket) && open.isOpen()) {
      return;
    }
    if (open != null) {
      open.close();
    }
    // A ticket of this process must not be opened again; if another process has it, that one watches it better.
    before = ticket == null || ticket.equals(ended) || ticket.process().equals(presence.id())
        ? null
        : tickets.watch(ticket, () -> onEnd(ticket));
  }

  private void onEnd(Ticket ticket) {
    ended = ticket;
    refresh();
  }

  /** All existing tickets, after recreating those of ours that were removed, in our order. */
  private NavigableSet<Ticket> restored() throws IOException {
    NavigableSet<Ticket> present = tickets.list();
    boolean isComplete = true;
    for (FileQueuePlace place : ours) {
      // A waiter behind one that rejoins must not overtake it.
      if (!isComplete || !present.contains(place.ticket())) {
        isComplete = false;
        tickets.remove(place.ticket());
        place.replaceTicket(tickets.create(presence.id(), place.request()));
      }
    }
    return isComplete ? present : tickets.list();
  }

  /** Removes the tickets of dead processes at one end, up to the first of a live one. */
  private void dropDead(NavigableSet<Ticket> some, Function<NavigableSet<Ticket>, Ticket> end) {
    while (!some.isEmpty()) {
      Ticket ticket = end.apply(some);
      if (isLiving(ticket)) {
        return;
      }
      tickets.remove(ticket);
      some.remove(ticket);
    }
  }

  /** The tickets of live processes; removes all others. */
  private NavigableSet<Ticket> living(NavigableSet<Ticket> present) {
    NavigableSet<Ticket> living = new TreeSet<>();
    for (Ticket ticket : present) {
      if (isLiving(ticket)) {
        living.add(ticket);
      } else {
        tickets.remove(ticket);
      }
    }
    return living;
  }

  private boolean isLiving(Ticket ticket) {
    return ticket.process().equals(presence.id()) ? TicketDirectory.isHeld(ticket) : presence.isAlive(ticket.process());
  }

  private static NavigableSet<Ticket> with(NavigableSet<Ticket> present, Ticket ticket) {
    NavigableSet<Ticket> all = new TreeSet<>(present);
    all.add(ticket);
    return all;
  }
}
