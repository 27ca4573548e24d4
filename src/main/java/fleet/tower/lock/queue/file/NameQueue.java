package fleet.tower.lock.queue.file;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.QueuePlace.Standing;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.presence.Presence;
import fleet.tower.platform.wait.WakeUp;

/**
 * This process' part of the line of one name. Its waiters stand in their own order; the first of them, the head, looks at the
 * tickets of all, and the others sleep until it is their turn to be the head.
 *
 * <p>Of many processes only the next one looks when a ticket goes: each head waits for the end of the ticket right before its
 * own ({@link TicketWatch}). Only the first few listen for releases.
 */
final class NameQueue {
  /**
   * As many before this process are few enough to listen for releases already. To begin with that takes as long as a
   * hand-over, and nobody is told that he has become the next but one.
   */
  private static final int MOST_LISTENING = 4;

  private final TicketDirectory tickets;
  private final Presence presence;
  private final Ears ears;
  private final ReentrantLock lock = new ReentrantLock();
  /** In the order of their arrival, which is that of their tickets too. */
  private final Deque<FileQueuePlace> ours = new ArrayDeque<>();
  private volatile @Nullable FileQueuePlace head;
  private volatile boolean changed = true;
  private volatile boolean released;
  private volatile Standing standing = new Standing.BehindOurs();
  private volatile NavigableSet<Ticket> seen = new TreeSet<>();
  private int countedBefore;
  /** On the ticket right before the head's; null where there is none, or it cannot be watched. */
  private volatile @Nullable TicketWatch before;
  /** Whose watch has ended. If it is still there, its owner does not keep it locked. */
  private volatile @Nullable Ticket ended;

  NameQueue(TicketDirectory tickets, Presence presence, Ears ears) {
    this.tickets = tickets;
    this.presence = presence;
    this.ears = ears;
  }

  /** What the line hears of releases with. */
  interface Ears {
    /** Listens, as far as one can, from now on. */
    void open();

    boolean areOpen();

    /** Somebody has left. */
    void left();
  }

  WaitQueue.Joined join(RequestId who, WakeUp bell) throws IOException {
    lock.lock();
    try {
      NavigableSet<Ticket> present = restored();
      if (present.size() >= WaitQueue.LIMIT && living(present).size() >= WaitQueue.LIMIT) {
        return new WaitQueue.Joined.Full();
      }
      FileQueuePlace place = new FileQueuePlace(this, who, bell, tickets.create(presence.id(), who));
      ours.addLast(place);
      seen = with(present, place.ticket());
      if (head == null) {
        promote(place);
      }
      return new WaitQueue.Joined.At(place);
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
    ears.left();
  }

  Standing standing(FileQueuePlace place, boolean anew) {
    if (!place.equals(head)) {
      return new Standing.BehindOurs();
    }
    if (changed || released || anew) {
      lock.lock();
      try {
        released = false;
        if (changed || !isAsSeen(place)) {
          lookAround(place);
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

  boolean isToldOfChanges() {
    TicketWatch watch = before;
    return standing instanceof Standing.First ? ears.areOpen() : watch != null && watch.isOpen();
  }

  /** What all want may be free. */
  void released() {
    FileQueuePlace first = head;
    if (first != null && standing instanceof Standing.First) {
      released = true;
      first.wake();
    }
  }

  /** Anything may have changed. */
  void lookAgain() {
    changed = true;
    FileQueuePlace first = head;
    if (first != null) {
      first.wake();
    }
  }

  private void promote(FileQueuePlace place) {
    changed = true;
    standing = new Standing.BehindOurs();
    head = place;
  }

  /**
   * Whether nothing that is told of has changed, nor the number of tickets before: a slow look of one who waits for long sees
   * that and no more. Tickets only go, except in the moment in which several join.
   */
  private boolean isAsSeen(FileQueuePlace place) throws IOException {
    ended = null;
    return (standing instanceof Standing.First || isToldOfChanges())
        && tickets.countBefore(place.ticket()) == countedBefore;
  }

  private void lookAround(FileQueuePlace place) throws IOException {
    changed = false;
    // First, so that what changes during this look is seen by the next.
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
    if (processes <= MOST_LISTENING) {
      ears.open();
    }
  }

  /** Waits for the end of a ticket and no other. One whose watch has ended is not watched again before the next slow look. */
  private void watch(@Nullable Ticket ticket) {
    TicketWatch open = before;
    if (open != null && open.ticket().equals(ticket) && open.isOpen()) {
      return;
    }
    if (open != null) {
      open.close();
    }
    // One of another line of this process must not be opened, and another process watches it better.
    before = ticket == null || ticket.equals(ended) || ticket.process().equals(presence.id())
        ? null
        : tickets.watch(ticket, () -> hasEnded(ticket));
  }

  private void hasEnded(Ticket ticket) {
    ended = ticket;
    lookAgain();
  }

  /** All tickets that are there, after those of ours that somebody has removed were made anew, in our order. */
  private NavigableSet<Ticket> restored() throws IOException {
    NavigableSet<Ticket> present = tickets.list();
    boolean isComplete = true;
    for (FileQueuePlace place : ours) {
      // Who stood behind somebody that has to join again must not come before him.
      if (!isComplete || !present.contains(place.ticket())) {
        isComplete = false;
        tickets.remove(place.ticket());
        place.holds(tickets.create(presence.id(), place.who()));
      }
    }
    return isComplete ? present : tickets.list();
  }

  /** Removes the tickets of dead processes at one end, up to the first of a living one. */
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

  /** Those of living processes; removes the tickets of all dead ones. */
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
