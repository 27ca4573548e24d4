package fleet.tower.run.members;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.Presence;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;

/**
 * The membership of this process in its fleet: it keeps the entry of this process, and knows which other processes are
 * alive.
 *
 * <p>For processes that use the same files, their presence files show at once whether they are alive. For all others
 * the member store does: a process that has been silent for {@link #TTL} counts as dead. It may be alive but
 * disconnected; its locks are leases, so it has stopped its work under them by then. If nothing is known about a
 * process, it counts as alive.
 */
public final class Membership implements AutoCloseable {
  /** How long a silent process counts as alive. */
  public static final Duration TTL = Duration.ofSeconds(60);
  static final Duration BETWEEN_ENTRIES = Duration.ofSeconds(15);
  /** After a failure, so that a short outage does not make this process seem dead. */
  private static final Duration RETRY_INTERVAL = Duration.ofSeconds(3);
  static final Duration BETWEEN_LOOKS = Duration.ofSeconds(2);

  private final Member self;
  private final MemberStore members;
  private final Presence neighbours;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private final Supplier<Optional<MemberProfile>> profiles;
  private @Nullable MemberProfile published;
  private boolean closed;
  private boolean isFailing;
  private Scheduler.@Nullable Pending next;
  private Scheduler.@Nullable Pending nextLook;

  /**
   * @param neighbours the presence of processes that use the same files
   * @param profiles what this process publishes at a moment; a change is published within {@link #BETWEEN_LOOKS}
   */
  public Membership(Member self, MemberStore members, Presence neighbours, Scheduler scheduler,
      Consumer<String> warnings, Supplier<Optional<MemberProfile>> profiles) {
    this.profiles = profiles;
    this.self = self;
    this.members = members;
    this.neighbours = neighbours;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  /** A live service on another machine uses the host name of this one. */
  public static final class NameTakenException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NameTakenException(String message) {
      super(message);
    }
  }

  /**
   * Enters this process, and renews its entry from now on.
   *
   * @throws NameTakenException if this is a service, and a live service on another machine uses the same host name
   */
  public synchronized void begin() {
    Optional<MemberStore.Entry> other = enter();
    if (other.isPresent()) {
      Member taken = other.get().member();
      throw new NameTakenException("host id '" + self.hostId() + "' is used by a service on another machine (process "
          + taken.pid() + " on " + taken.home() + ", machine " + taken.machine() + ", seen "
          + other.get().seenAt() + "); set tower.host-id to another name, or wait " + TTL.toSeconds()
          + " s if that machine was this one");
    }
    next = scheduler.after(BETWEEN_ENTRIES, this::again);
    if (published != null) {
      nextLook = scheduler.after(BETWEEN_LOOKS, this::look);
    }
  }

  private Optional<MemberStore.Entry> enter() {
    MemberProfile profile = profiles.get().orElse(null);
    Optional<MemberStore.Entry> other = members.enter(self, profile, TTL);
    published = profile;
    return other;
  }

  /** Publishes a change of the profile before the next renewal. */
  private synchronized void look() {
    if (closed) {
      return;
    }
    if (!profiles.get().equals(Optional.ofNullable(published))) {
      try {
        enter();
      } catch (StorageException postponed) {
        // The next look or renewal publishes it, and the renewal reports a lasting problem.
      }
    }
    nextLook = scheduler.after(BETWEEN_LOOKS, this::look);
  }

  private synchronized void again() {
    if (closed) {
      return;
    }
    try {
      enter().ifPresent(other -> warn("a service on another machine uses the host id '"
          + self.hostId() + "' too: process " + other.member().pid() + " on " + other.member().home()));
      isFailing = false;
    } catch (StorageException e) {
      if (!isFailing && !e.isReported()) {
        warn("this process cannot be shown as alive to other hosts: " + e.getMessage());
      }
      isFailing = true;
    }
    next = scheduler.after(isFailing ? RETRY_INTERVAL : BETWEEN_ENTRIES, this::again);
  }

  private void warn(String words) {
    warnings.accept(words);
  }

  /** This process. */
  public Member self() {
    return self;
  }

  /** The store of all members. */
  public MemberStore members() {
    return members;
  }

  /** Whether the process with an id is alive. */
  public boolean isAlive(String id) {
    if (id.equals(self.id())) {
      return true;
    }
    try {
      Optional<MemberStore.Entry> entry = members.find(id);
      boolean isBeside = entry.isEmpty() || entry.get().member().isBeside(self);
      return isBeside ? neighbours.isAlive(id) : entry.get().isAlive();
    } catch (StorageException unreachable) {
      return true;
    }
  }

  /** Removes the entry of this process, if possible. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      if (next != null) {
        next.cancel();
      }
      if (nextLook != null) {
        nextLook.cancel();
      }
    }
    try {
      members.leave(self.id());
    } catch (StorageException entryExpires) {
      // Its entry expires a little later.
    }
    members.close();
  }
}
