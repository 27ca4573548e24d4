package fleet.tower.waiting.file;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.disk.Watches;
import fleet.tower.lease.RequestId;
import fleet.tower.presence.Presence;
import fleet.tower.waiting.Bell;
import fleet.tower.waiting.Line;
import fleet.tower.waiting.Place.Standing;

/**
 * This process' part of the line of one name. Its waiters stand in their own order; the first of them, the head, looks at the
 * tickets of all, and the others sleep until it is their turn to be the head.
 *
 * <p>A look remembers whose tickets come before the head's. Notices of tickets that go are crossed off against them, so that
 * of many processes that wait only the next one looks again. A notice that comes during a look makes it look once more.
 */
final class NameLine implements Watches.Listener {
  private static final int MOST_LOOKS = 5;

  private final TicketDirectory tickets;
  private final Presence presence;
  private final Ears ears;
  private final ReentrantLock lock = new ReentrantLock();
  /** In the order of their arrival, which is that of their tickets too. */
  private final Deque<FilePlace> ours = new ArrayDeque<>();
  private final Set<Ticket> ahead = ConcurrentHashMap.newKeySet();
  private final AtomicLong notices = new AtomicLong();
  private volatile @Nullable FilePlace head;
  private volatile boolean changed = true;
  private volatile Standing standing = new Standing.BehindOurs();
  private volatile NavigableSet<Ticket> seen = new TreeSet<>();

  NameLine(TicketDirectory tickets, Presence presence, Ears ears) {
    this.tickets = tickets;
    this.presence = presence;
    this.ears = ears;
  }

  /** What the line hears of changes with. */
  interface Ears {
    /** Listens, as far as one can, from now on; to be called when there are tickets. */
    void open(TicketDirectory tickets, Watches.Listener listener);

    boolean areOpen();

    /** Somebody has left. */
    void left();
  }

  /** How far a look goes to find dead ones among the waiters. */
  private enum Care {
    /** Up to the first one who lives. */
    QUICK,
    /** All before the head; or all, if the head is the first. */
    SLOW,
    /** All. */
    FULL
  }

  Line.Joined join(RequestId who, Bell bell) throws IOException {
    lock.lock();
    try {
      NavigableSet<Ticket> present = restored();
      if (present.size() >= Line.LIMIT && living(present, Care.FULL).size() >= Line.LIMIT) {
        return new Line.Joined.Full();
      }
      FilePlace place = new FilePlace(this, who, bell, tickets.create(presence.id(), who));
      ours.addLast(place);
      ears.open(tickets, this);
      seen = with(present, place.ticket());
      if (head == null) {
        promote(place);
      }
      return new Line.Joined.At(place);
    } finally {
      lock.unlock();
    }
  }

  void leave(FilePlace place) {
    lock.lock();
    try {
      tickets.remove(place.ticket());
      ours.remove(place);
      FilePlace next = ours.peekFirst();
      if (next == null) {
        head = null;
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

  Standing standing(FilePlace place, boolean anew) {
    if (!place.equals(head)) {
      return new Standing.BehindOurs();
    }
    if (changed || anew) {
      lock.lock();
      try {
        lookAround(place, anew ? Care.SLOW : Care.QUICK);
      } catch (IOException e) {
        throw tickets.unusable(e);
      } finally {
        lock.unlock();
      }
    }
    return standing;
  }

  int position(FilePlace place) {
    return seen.headSet(place.ticket()).size();
  }

  boolean isToldOfChanges() {
    return ears.areOpen();
  }

  /** What all want may be free. */
  void released() {
    FilePlace first = head;
    if (first != null && standing instanceof Standing.First) {
      first.wake();
    }
  }

  @Override
  public void deleted(String file) {
    notices.incrementAndGet();
    Ticket.of(file).ifPresent(ticket -> {
      boolean wasLastBefore = ahead.remove(ticket) && ahead.isEmpty();
      if (wasLastBefore || TicketDirectory.isHeld(ticket)) {
        lookAgain();
      }
    });
  }

  /** Those who come go to the end; but who comes in the same moment as the head may be told to stand before it. */
  @Override
  public void created(String file) {
    notices.incrementAndGet();
    FilePlace first = head;
    if (first != null && Ticket.of(file).filter(ticket -> ticket.compareTo(first.ticket()) < 0).isPresent()) {
      lookAgain();
    }
  }

  @Override
  public void missed() {
    notices.incrementAndGet();
    lookAgain();
  }

  private void lookAgain() {
    changed = true;
    FilePlace first = head;
    if (first != null) {
      first.wake();
    }
  }

  private void promote(FilePlace place) {
    changed = true;
    standing = new Standing.BehindOurs();
    head = place;
  }

  private void lookAround(FilePlace place, Care care) throws IOException {
    for (int look = 0; look < MOST_LOOKS; look++) {
      long noticed = notices.get();
      changed = false;
      ears.open(tickets, this);
      NavigableSet<Ticket> living = living(restored(), care);
      NavigableSet<Ticket> before = living.headSet(place.ticket(), false);
      ahead.clear();
      ahead.addAll(before);
      seen = living;
      standing = before.isEmpty()
          ? new Standing.First()
          : new Standing.BehindOthers(before.first().file(),
              before.stream().map(Ticket::process).collect(Collectors.toSet()).size());
      if (noticed == notices.get()) {
        return;
      }
    }
  }

  /** All tickets that are there, after those of ours that somebody has removed were made anew, in our order. */
  private NavigableSet<Ticket> restored() throws IOException {
    NavigableSet<Ticket> present = tickets.list();
    boolean isComplete = true;
    for (FilePlace place : ours) {
      // Who stood behind somebody that has to join again must not come before him.
      if (!isComplete || !present.contains(place.ticket())) {
        isComplete = false;
        tickets.remove(place.ticket());
        place.holds(tickets.create(presence.id(), place.who()));
      }
    }
    return isComplete ? present : tickets.list();
  }

  /** Those of living processes; removes the tickets of dead ones that it comes upon. */
  private NavigableSet<Ticket> living(NavigableSet<Ticket> present, Care care) {
    Map<String, Boolean> known = new HashMap<>();
    NavigableSet<Ticket> living = new TreeSet<>();
    String own = presence.id();
    FilePlace first = head;
    for (Ticket ticket : present) {
      boolean isBefore = first != null && ticket.compareTo(first.ticket()) < 0;
      boolean isAsked = living.isEmpty() || switch (care) {
        case QUICK -> false;
        case SLOW -> isBefore || living.first().process().equals(own);
        case FULL -> true;
      };
      boolean isLiving = ticket.process().equals(own)
          ? TicketDirectory.isHeld(ticket)
          : !isAsked || known.computeIfAbsent(ticket.process(), presence::isAlive);
      if (isLiving) {
        living.add(ticket);
      } else {
        tickets.remove(ticket);
      }
    }
    return living;
  }

  private static NavigableSet<Ticket> with(NavigableSet<Ticket> present, Ticket ticket) {
    NavigableSet<Ticket> all = new TreeSet<>(present);
    all.add(ticket);
    return all;
  }
}
