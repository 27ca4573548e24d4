package fleet.tower.run.members;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.presence.Presence;
import fleet.tower.platform.time.Scheduler;

/**
 * This process as a member of its fleet: written down while it lives, and able to tell which others do.
 *
 * <p>Of processes on the same files their files tell, exactly and at once. Of all others the roster does, which is a lease: who
 * was silent for {@link #TTL} counts as dead. It may be cut off and alive, and will have stopped what it did under locks by then,
 * because those are leases too. Where nothing can be told, a process is said to live.
 */
public final class Membership implements AutoCloseable {
  /** For how long a silent process counts as alive. */
  public static final Duration TTL = Duration.ofSeconds(60);
  static final Duration BETWEEN_ENTRIES = Duration.ofSeconds(15);

  private final Member self;
  private final MemberStore roster;
  private final Presence neighbours;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private boolean closed;
  private boolean isFailing;
  private Scheduler.@Nullable Pending next;

  /** @param neighbours tells of processes on the same files */
  public Membership(Member self, MemberStore roster, Presence neighbours, Scheduler scheduler,
      Consumer<String> warnings) {
    this.self = requireNonNull(self);
    this.roster = requireNonNull(roster);
    this.neighbours = requireNonNull(neighbours);
    this.scheduler = requireNonNull(scheduler);
    this.warnings = requireNonNull(warnings);
  }

  /** A service of another machine goes by our host's name, and lives. */
  public static final class NameTakenException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NameTakenException(String message) {
      super(message);
    }
  }

  /**
   * Writes this process down, and from now on again in time.
   *
   * @throws NameTakenException for a service whose host's name a living service of another machine has
   */
  public synchronized void begin() {
    Optional<MemberStore.Entry> other = roster.enter(self, TTL);
    if (other.isPresent()) {
      Member taken = other.get().member();
      throw new NameTakenException("host id '" + self.hostId() + "' is that of another machine's service (process "
          + taken.pid() + " on " + taken.home() + ", machine " + taken.machine() + ", seen "
          + other.get().seenAt() + "); set tower.host-id to a name of its own, or wait " + TTL.toSeconds()
          + " s if that machine was this one");
    }
    next = scheduler.after(BETWEEN_ENTRIES, this::again);
  }

  private synchronized void again() {
    if (closed) {
      return;
    }
    try {
      roster.enter(self, TTL).ifPresent(other -> warn("another machine's service goes by this host's name '"
          + self.hostId() + "' meanwhile: process " + other.member().pid() + " on " + other.member().home()));
      isFailing = false;
    } catch (StorageException e) {
      if (!isFailing) {
        isFailing = true;
        warn("other hosts cannot be told that this process lives: " + e.getMessage());
      }
    }
    next = scheduler.after(BETWEEN_ENTRIES, this::again);
  }

  private void warn(String words) {
    warnings.accept(words);
  }

  /** Where all of the fleet are written down. */
  public MemberStore roster() {
    return roster;
  }

  /** Whether the process of an id lives. */
  public boolean isAlive(String id) {
    if (id.equals(self.id())) {
      return true;
    }
    try {
      Optional<MemberStore.Entry> entry = roster.find(id);
      boolean isBeside = entry.isEmpty() || entry.get().member().isBeside(self);
      return isBeside ? neighbours.isAlive(id) : entry.get().isAlive();
    } catch (StorageException cannotTell) {
      return true;
    }
  }

  /** The number of a process of this host; nothing for those of others. */
  public OptionalLong pid(String id) {
    return neighbours.pid(id);
  }

  /** Strikes this process out, as far as that can be done. */
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
    }
    try {
      roster.leave(self.id());
    } catch (StorageException itsTimeRunsOut) {
      // It counts as dead a little later.
    }
    roster.close();
  }
}
